// A person's home tab, and the preview of a link to content.
import type { ContentItem } from '@pressroom/api/client';
import { appModeLabel } from '@pressroom/api/contract';
import type { HomeView } from '@slack/types';
import { actions, button, context, header, section, type AnyBlock } from '../blocks/blocks.ts';
import { fit, fitHome } from '../blocks/fit.ts';
import { titleOf } from '../blocks/names.ts';
import { linkButtons } from '../blocks/notes.ts';
import { inline, line, link, moment } from '../blocks/text.ts';
import { filterWords } from '../commands/shared/filter-words.ts';
import { statusTexts } from '../commands/status/texts.ts';
import type { Texts } from '../texts/en.ts';

export interface HomeData {
  readonly server: string;
  /** Null if not linked. */
  readonly who: string | null;
  readonly content: readonly ContentItem[];
  readonly running: readonly {
    readonly title: string;
    readonly elapsed: number;
    readonly url: string | null;
  }[];
  readonly subscriptions: readonly {
    readonly title: string;
    readonly channel: string;
    readonly filters: readonly string[];
  }[];
  /** Why something is missing, or null. */
  readonly problem: string | null;
}

export function homeView(view: HomeData, texts: Texts): HomeView {
  const { home, buttons } = texts;
  const { who, content, running, subscriptions, problem } = view;
  const blocks: AnyBlock[] = [header('Pressroom')];
  if (who === null) {
    blocks.push(section(home.linkFirst(link(view.server, view.server))), linkButtons('home', texts));
  } else {
    blocks.push(
      context(home.signedIn(link(view.server, view.server), inline(who))),
      actions(
        button('run:deploys', buttons.recentDeploys, 'deploys'),
        button('run:usage', buttons.usage, 'usage'),
        button('run:help', buttons.commands, 'help'),
      ),
    );
  }
  if (problem !== null) blocks.push(section(`:warning: ${inline(problem, 400)}`));
  if (running.length > 0) {
    blocks.push(section(home.running(running.length)));
    for (const { title, elapsed, url } of running) {
      blocks.push(context(`:hourglass_flowing_sand: ${link(url, title, 100)} · ${texts.span(elapsed)}`));
    }
  }
  if (who !== null) {
    blocks.push(section(home.content(content.length)));
    for (const item of content.slice(0, 40)) {
      const state =
        item.bundle_id === null ? statusTexts(texts).notPublished : moment(item.last_deployed_time);
      blocks.push(
        section(
          `${link(item.url, titleOf(item), 100)}\n${inline(appModeLabel(item.app_mode, texts.code))} · ${state}`,
          button('run:status', buttons.status, `status ${item.guid}`),
        ),
      );
    }
    if (content.length > 40) blocks.push(context(home.more(content.length - 40)));
    blocks.push(section(home.subscriptions(subscriptions.length)));
    for (const { title, channel, filters } of subscriptions.slice(0, 20)) {
      blocks.push(
        context(
          home.subscription(inline(title, 100), channelLink(channel), inline(filterWords(filters, texts))),
        ),
      );
    }
  }
  return fitHome({ type: 'home', blocks });
}

/** The preview under a link to content. */
export function unfurlBlocks(content: ContentItem, owner: string | null, texts: Texts): readonly AnyBlock[] {
  const { code, home } = texts;
  const state =
    content.bundle_id === null
      ? statusTexts(texts).notPublished
      : home.lastDeployed(moment(content.last_deployed_time));
  return fit({
    text: line(titleOf(content)),
    blocks: [
      section(
        `*${link(content.url, titleOf(content))}*${!content.description ? '' : `\n${inline(content.description, 300)}`}`,
      ),
      context(
        [
          inline(appModeLabel(content.app_mode, code)),
          state,
          ...(owner === null ? [] : [home.by(inline(owner))]),
        ].join(' · '),
      ),
    ],
  }).blocks;
}

/** A channel by its ID, which Slack shows by name to people who may see it. */
const channelLink = (id: string) => (/^[A-Z0-9]{1,32}$/.test(id) ? `<#${id}>` : inline(id));
