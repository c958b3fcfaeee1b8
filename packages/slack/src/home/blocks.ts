// The home tab of a person, and the preview of a link to content.
import { appModeLabel } from '@pressroom/api/contract';
import type { ContentItem } from '@pressroom/api/client';
import type { HomeView } from '@slack/types';
import { actions, button, context, header, section, type AnyBlock } from '../blocks/blocks.ts';
import { titleOf } from '../blocks/names.ts';
import { fit, fitHome } from '../blocks/fit.ts';
import { linkButtons } from '../blocks/notes.ts';
import { count, inline, line, link, moment, span } from '../blocks/text.ts';

export interface HomeData {
  readonly server: string;
  /** Null when not linked. */
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

export function homeView(view: HomeData): HomeView {
  const { who, content, running, subscriptions, problem } = view;
  const blocks: AnyBlock[] = [header('Pressroom')];
  if (who === null) {
    blocks.push(
      section(`Link your account on ${link(view.server, view.server)} to see your content here.`),
      linkButtons('home'),
    );
  } else {
    blocks.push(
      context(`Signed in to ${link(view.server, view.server)} as ${inline(who)}`),
      actions(
        button('run:deploys', 'Recent deploys', 'deploys'),
        button('run:usage', 'Usage', 'usage'),
        button('run:help', 'Commands', 'help'),
      ),
    );
  }
  if (problem !== null) blocks.push(section(`:warning: ${inline(problem, 400)}`));
  if (running.length > 0) {
    blocks.push(section(`*Deploys in progress* (${running.length})`));
    for (const { title, elapsed, url } of running) {
      blocks.push(context(`:hourglass_flowing_sand: ${link(url, title, 100)} · ${span(elapsed)}`));
    }
  }
  if (who !== null) {
    blocks.push(section(`*Your content* (${content.length})`));
    for (const item of content.slice(0, 40)) {
      const state = item.bundle_id === null ? 'not published' : moment(item.last_deployed_time);
      blocks.push(
        section(
          `${link(item.url, titleOf(item), 100)}\n${inline(appModeLabel(item.app_mode))} · ${state}`,
          button('run:status', 'Status', `status ${item.guid}`),
        ),
      );
    }
    if (content.length > 40) blocks.push(context(`… and ${count(content.length - 40, 'more', 'more')}`));
    blocks.push(section(`*Your subscriptions* (${subscriptions.length})`));
    for (const { title, channel, filters } of subscriptions.slice(0, 20)) {
      blocks.push(context(`${inline(title, 100)} in ${inline(channel)}: ${inline(filters.join(', '))}`));
    }
  }
  return fitHome({ type: 'home', blocks });
}

/** The preview under a link to content. */
export function unfurlBlocks(content: ContentItem, owner: string | null): readonly AnyBlock[] {
  const state =
    content.bundle_id === null ? 'not published' : `last deployed ${moment(content.last_deployed_time)}`;
  return fit({
    text: line(titleOf(content)),
    blocks: [
      section(
        `*${link(content.url, titleOf(content))}*${content.description === '' ? '' : `\n${inline(content.description, 300)}`}`,
      ),
      context(
        [
          inline(appModeLabel(content.app_mode)),
          state,
          ...(owner === null ? [] : [`by ${inline(owner)}`]),
        ].join(' · '),
      ),
    ],
  }).blocks;
}
