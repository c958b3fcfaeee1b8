// What `status` shows: one content item, or the server and the asker's content.
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
import { count, inline, link, moment } from '../../blocks/text.ts';

export interface Status {
  readonly content: ContentItem;
  /** Null when the asker may not see the owner. */
  readonly owner: string | null;
  readonly bundles: readonly Bundle[];
  /** The newest deploy, where the asker may see it. */
  readonly last: ContentDeploy | null;
  /** Why nobody can deploy it now; null where deploys are not locked, or the asker may not see it. */
  readonly lock: DeployLock | null;
  readonly mayDeploy: boolean;
}

export function statusMessage(
  { content, owner, bundles, last, lock, mayDeploy }: Status,
  share: string,
): Message {
  const live = content.bundle_id !== null;
  const sign = live ? ':large_green_circle:' : ':white_circle:';
  const state = live ? 'Live' : 'Not published';
  const runtime = [
    content.r_version === null ? '' : `R ${content.r_version}`,
    content.py_version === null ? '' : `Python ${content.py_version}`,
  ].filter((text) => text !== '');
  return fit({
    text: `${inline(titleOf(content))}: ${state}`,
    blocks: [
      section(`${sign} *${link(content.url, titleOf(content))}*\n${state}`),
      ...newestDeploy(last),
      ...(lock === null
        ? []
        : [
            context(
              `:lock: ${inline(lock.username ?? 'Somebody')} locked deploys${lock.until === null ? '' : ` until ${moment(lock.until)}`}: ${inline(lock.reason, 300)}`,
            ),
          ]),
      fields([
        ['Type', inline([appModeLabel(content.app_mode), ...runtime].join(', '))],
        ['Last deploy', live ? moment(content.last_deployed_time) : 'Never'],
        [
          'Bundle',
          content.bundle_id === null
            ? count(bundles.length, 'bundle')
            : `${inline(content.bundle_id)} (${count(bundles.length, 'bundle')})`,
        ],
        ['Owner', owner === null ? 'not visible to you' : inline(owner)],
        ['Visible to', inline(accessOf(content))],
        ['Name', inline(content.name)],
      ]),
      ...(content.description === '' ? [] : [context(inline(content.description, 300))]),
      actions(
        ...(live ? [button('open', 'Open', '', { url: content.url })] : []),
        ...(mayDeploy ? [button('run:logs', 'Logs', `logs ${content.guid}`)] : []),
        button('run:usage', 'Usage', `usage ${content.guid}`),
        shareButton(share),
      ),
    ],
  });
}

/** What is going on, or went wrong since what is live was deployed. */
function newestDeploy(last: ContentDeploy | null): AnyBlock[] {
  if (last === null || last.state === 'succeeded') return [];
  const { bundle_id, started_time, error, task_id } = last;
  const task = task_id === null ? '' : ` (task ${inline(task_id)})`;
  if (last.state === 'running')
    return [
      section(
        `:hourglass_flowing_sand: Bundle ${inline(bundle_id)} has been deploying since ${moment(started_time)}${task}`,
      ),
    ];
  return [
    section(
      `:x: The last deploy, of bundle ${inline(bundle_id)} on ${moment(started_time)}, failed${task}: ${inline(error, 300)}`,
    ),
  ];
}

export interface Overview {
  readonly server: string;
  readonly version: string | null;
  readonly who: string | null;
  readonly mine: readonly ContentItem[];
}

export function overviewMessage({ server, version, who, mine }: Overview, share: string): Message {
  const items = mine.map((item) => {
    const sign = item.bundle_id === null ? ':white_circle:' : ':large_green_circle:';
    return `${sign} ${link(item.url, titleOf(item), 80)} · ${item.bundle_id === null ? 'not published' : moment(item.last_deployed_time)}`;
  });
  const pages: AnyBlock[] = [];
  for (let i = 0; i < items.length; i += 10) pages.push(section(items.slice(i, i + 10).join('\n')));
  return fit({
    text: `${inline(server)} is online`,
    blocks: [
      section(
        `:large_green_circle: *${link(server, server)}* is online${version === null ? '' : `, version ${inline(version)}`}`,
      ),
      context(who === null ? 'Your account is not linked.' : `Signed in as ${inline(who)}`),
      ...(items.length > 0 ? [section(`*Your content* (${items.length})`), ...pages] : []),
      actions(shareButton(share)),
    ],
  });
}
