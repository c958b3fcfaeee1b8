// Content: its status, the server's, who may see it, its deploys.
import type { Bundle, ContentItem } from '@pressroom/api';
import {
  actions,
  button,
  context,
  fields,
  header,
  section,
  shareButton,
  table,
  type AnyBlock,
  type Message,
} from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { count, inline, line, link, moment, plainMoment } from '../../blocks/text.ts';

const ACCESS: Readonly<Record<string, string>> = {
  all: 'Anyone',
  logged_in: 'Anyone with an account',
  acl: 'Named people and groups',
};

export function titleOf({ title, name }: { title: string | null; name: string }): string {
  return title ?? name;
}

export interface Status {
  readonly content: ContentItem;
  /** Null when the asker may not see who owns it. */
  readonly owner: string | null;
  readonly bundles: readonly Bundle[];
  readonly mayDeploy: boolean;
}

export function statusMessage({ content, owner, bundles, mayDeploy }: Status, share: string): Message {
  const live = content.bundle_id !== null;
  const sign = live ? ':large_green_circle:' : ':white_circle:';
  const state = live ? 'Live' : 'Not published yet';
  const runtime = [
    content.r_version === null ? '' : `R ${content.r_version}`,
    content.py_version === null ? '' : `Python ${content.py_version}`,
  ].filter((text) => text !== '');
  return fit({
    text: `${inline(titleOf(content))}: ${state}`,
    blocks: [
      section(`${sign} *${link(content.url, titleOf(content))}*\n${state}`),
      fields([
        ['Kind', inline([content.app_mode, ...runtime].join(', '))],
        ['Last deploy', live ? moment(content.last_deployed_time) : 'never'],
        [
          'Bundle',
          live ? `${inline(content.bundle_id!)} of ${bundles.length}` : count(bundles.length, 'bundle'),
        ],
        ['Owner', owner === null ? 'not shown to you' : inline(owner)],
        ['Visible to', ACCESS[content.access_type] ?? inline(content.access_type)],
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
    text: `${inline(server)} answers`,
    blocks: [
      section(
        `:large_green_circle: *${link(server, server)}* answers${version === null ? '' : `, version ${inline(version)}`}`,
      ),
      context(who === null ? 'You are not linked to an account.' : `You are ${inline(who)} there.`),
      ...(items.length > 0 ? [section(`*Your content* (${items.length})`), ...pages] : []),
      actions(shareButton(share)),
    ],
  });
}

export interface DeployEntry {
  readonly time: string;
  readonly who: string;
  readonly what: string;
  readonly active: boolean | null;
}

/** @param complete whether the audit log was read; a bundle list says when something was uploaded, not by whom. */
export function deploysMessage(
  about: string,
  since: string,
  entries: readonly DeployEntry[],
  share: string,
): Message {
  const rows = entries.map(({ time, who, what, active }) => [
    plainMoment(time),
    line(who, 60),
    line(what, 80),
    active === true ? 'active' : '–',
  ]);
  return fit({
    text: `Deploys of ${inline(about)}`,
    blocks: [
      section(`*Deploys of ${inline(about)}*, last ${inline(since)}: ${entries.length}`),
      ...(rows.length === 0 ? [] : [table([['When', 'Who', 'What', 'State'], ...rows])]),
      actions(shareButton(share)),
    ],
  });
}

export interface Access {
  readonly content: ContentItem;
  readonly owner: string | null;
  readonly people: readonly { readonly name: string; readonly role: string }[];
  /** False when the asker may not read the list. */
  readonly complete: boolean;
}

export function whoMessage({ content, owner, people, complete }: Access, share: string): Message {
  const rows = people.map(({ name, role }) => [line(name, 100), line(role, 40)]);
  return fit({
    text: `Who may see ${inline(titleOf(content))}`,
    blocks: [
      header(line(titleOf(content))),
      fields([
        ['Owner', owner === null ? 'not shown to you' : inline(owner)],
        ['Visible to', ACCESS[content.access_type] ?? inline(content.access_type)],
        ['You', inline(content.role)],
      ]),
      ...(rows.length > 0 ? [table([['Person or group', 'May'], ...rows])] : []),
      ...(complete ? [] : [context('The list of people and groups is only for collaborators.')]),
      actions(shareButton(share)),
    ],
  });
}
