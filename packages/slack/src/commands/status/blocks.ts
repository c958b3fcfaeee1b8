// Messages of `status`: one content item, or the server and the invoker's content.
import type { ContentItem } from '@pressroom/api/client';
import {
  appModeLabel,
  type Bundle,
  type BundleRelease,
  type ContentDeploy,
  type DeployLock,
  type Draft,
} from '@pressroom/api/contract';
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
import { inline, line, link, moment } from '../../blocks/text.ts';
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
  /** The newest first. */
  readonly drafts: readonly Draft[];
  /** Of the newest bundle; null if it is live, or the server does not say. */
  readonly release: Pick<BundleRelease, 'bundle_id' | 'state' | 'steps'> | null;
}

/** Maximum drafts shown. */
const DRAFTS = 5;

export function statusMessage(view: Status, share: string, texts: Texts): Message {
  const { content, owner, bundles, last, lock, mayDeploy } = view;
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
      ...newestBundle(view, texts),
      ...draftsOf(view, texts),
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

/** A draft of it that failed, or what people decide about it. */
function newestBundle({ content, last, release }: Status, texts: Texts): AnyBlock[] {
  if (release === null) return [];
  const { bundle_id, state, steps } = release;
  const status = statusTexts(texts);
  if (state === 'failed') {
    const failed = steps.findLast(({ what }) => what === 'failed');
    const isTold = last?.bundle_id === bundle_id && last.state === 'failed';
    if (failed === undefined || isTold) return [];
    const { time, task_id, reason } = failed;
    const task = task_id === null ? '' : status.task(inline(task_id));
    const why = reason === null ? '' : `: ${inline(reason, 300)}`;
    return [section(status.draftFailed(inline(bundle_id), moment(time), task, why))];
  }
  if (state !== 'asked' && state !== 'approved' && state !== 'canary' && state !== 'held') return [];
  const { releases, buttons } = texts;
  const approvals = button('run:releases', buttons.approvals, `releases ${line(content.guid, 64)}`);
  const isAsked = state === 'asked' || state === 'approved';
  return [
    section(
      releases.state[state](inline(bundle_id, 20), inline(titleOf(content))),
      isAsked ? approvals : undefined,
    ),
  ];
}

function draftsOf({ content, drafts }: Status, texts: Texts): AnyBlock[] {
  const { buttons, words, releases } = texts;
  const shown = drafts.slice(0, DRAFTS).flatMap(({ bundle_id, username, created_time, url, task_id }) => {
    const text = statusTexts(texts).draft(
      inline(bundle_id, 20),
      inline(username ?? words.somebody, 100),
      moment(created_time),
    );
    const deploy = `deploy ${line(content.guid, 64)} --bundle ${line(bundle_id, 20)} --task ${line(task_id, 64)}`;
    return [
      section(text),
      actions(button('run:deploy', buttons.makeLive, deploy), button('open', buttons.openDraft, '', { url })),
    ];
  });
  const more = drafts.length - DRAFTS;
  return more > 0 ? [...shown, context(releases.more(more))] : shown;
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
