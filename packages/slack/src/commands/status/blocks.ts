// Messages of `status`: one content item, or the server and the invoker's content.
import type { ContentItem } from '@pressroom/api/client';
import { appModeLabel, type Bundle, type ContentDeploy, type DeployLock } from '@pressroom/api/contract';
import {
  actions,
  button,
  context,
  fields,
  section,
  shareButton,
  type AnyBlock,
  type Message,
} from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { accessOf, titleOf } from '../../blocks/names.ts';
import { inline, link, moment } from '../../blocks/text.ts';
import type { Texts } from '../../texts/en.ts';
import { lockTexts } from '../lock/texts.ts';
import { statusTexts } from './texts.ts';

export interface Status {
  readonly content: ContentItem;
  /** Null if the invoker may not see the owner. */
  readonly owner: string | null;
  readonly bundles: readonly Bundle[];
  /** The newest deploy, if the invoker may see it. */
  readonly last: ContentDeploy | null;
  /** The deploy lock; null if there is none, or the invoker may not see it. */
  readonly lock: DeployLock | null;
  readonly mayDeploy: boolean;
}

export function statusMessage(
  { content, owner, bundles, last, lock, mayDeploy }: Status,
  share: string,
  texts: Texts,
): Message {
  const { words, buttons } = texts;
  const status = statusTexts(texts);
  const live = content.bundle_id !== null;
  const sign = live ? ':large_green_circle:' : ':white_circle:';
  const state = live ? status.live : words.notPublished;
  const runtime = [
    !content.r_version ? '' : `R ${content.r_version}`,
    !content.py_version ? '' : `Python ${content.py_version}`,
  ].filter((text) => text !== '');
  return fit({
    text: `${inline(titleOf(content))}: ${state}`,
    blocks: [
      section(`${sign} *${link(content.url, titleOf(content))}*\n${state}`),
      ...newestDeploy(last, texts),
      ...(lock === null
        ? []
        : [
            context(
              lockTexts(texts).by(
                inline(lock.username ?? words.somebody),
                lock.until === null ? null : moment(lock.until),
                inline(lock.reason, 300),
              ),
            ),
          ]),
      fields([
        [words.type, inline([appModeLabel(content.app_mode, texts.code), ...runtime].join(', '))],
        [words.lastDeploy, live ? moment(content.last_deployed_time) : status.never],
        [
          words.bundle,
          content.bundle_id === null
            ? texts.bundles(bundles.length)
            : status.bundles(inline(content.bundle_id), bundles.length),
        ],
        [words.owner, owner === null ? words.notVisible : inline(owner)],
        [words.visibleTo, inline(accessOf(content, texts))],
        [words.name, inline(content.name)],
      ]),
      ...(!content.description ? [] : [context(inline(content.description, 300))]),
      actions(
        ...(live ? [button('open', buttons.open, '', { url: content.url })] : []),
        ...(mayDeploy ? [button('run:logs', buttons.logs, `logs ${content.guid}`)] : []),
        button('run:usage', buttons.usage, `usage ${content.guid}`),
        shareButton(share, texts),
      ),
    ],
  });
}

/** A running deploy, or one that failed or ended early since the live one. */
function newestDeploy(last: ContentDeploy | null, texts: Texts): AnyBlock[] {
  const status = statusTexts(texts);
  if (last === null || last.state === 'succeeded') return [];
  const { bundle_id, started_time, error, task_id } = last;
  const task = task_id === null ? '' : status.task(inline(task_id));
  if (last.state === 'running')
    return [section(status.deploying(inline(bundle_id), moment(started_time), task))];
  const ended = last.end_reason ? status[last.end_reason] : status.failed;
  return [section(ended(inline(bundle_id), moment(started_time), task, inline(error, 300)))];
}

export interface Overview {
  readonly server: string;
  readonly version: string | null;
  readonly who: string | null;
  readonly mine: readonly ContentItem[];
}

export function overviewMessage(
  { server, version, who, mine }: Overview,
  share: string,
  texts: Texts,
): Message {
  const { home } = texts;
  const status = statusTexts(texts);
  const items = mine.map((item) => {
    const sign = item.bundle_id === null ? ':white_circle:' : ':large_green_circle:';
    return `${sign} ${link(item.url, titleOf(item), 80)} · ${item.bundle_id === null ? status.notPublished : moment(item.last_deployed_time)}`;
  });
  const pages: AnyBlock[] = [];
  for (let i = 0; i < items.length; i += 10) pages.push(section(items.slice(i, i + 10).join('\n')));
  return fit({
    text: status.online(inline(server)),
    blocks: [
      section(
        `:large_green_circle: ${status.online(`*${link(server, server)}*`)}${version === null ? '' : status.version(inline(version))}`,
      ),
      context(who === null ? status.notLinked : status.signedIn(inline(who))),
      ...(items.length > 0 ? [section(home.content(items.length)), ...pages] : []),
      actions(shareButton(share, texts)),
    ],
  });
}
