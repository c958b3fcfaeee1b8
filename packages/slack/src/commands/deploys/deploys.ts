// `deploys`: recent deploys with people and results; all of them for administrators, else of content the invoker can
// edit.
import type { ContentItem } from '@pressroom/api/client';
import { deploysOf } from '@pressroom/api/publish';
import { titleOf } from '../../blocks/names.ts';
import { outcomeOf } from '../../deliver/deploys/announcement.ts';
import type { Texts } from '../../texts/en.ts';
import type { Command, Run } from '../command.ts';
import { startOf } from '../line/duration.ts';
import { textOption } from '../line/parsed-command.ts';
import { SINCE } from '../line/syntax.ts';
import { type AuditedDeploy, deploysIn } from '../shared/audit-log.ts';
import { bundlesOf, listContent, mayChange, nameOf, resolveContent } from '../shared/find-content.ts';
import { deploysMessage, type DeployEntry } from './blocks.ts';
import { deploysTexts } from './texts.ts';

const SHOWN = 200;
/** Maximum content items whose deploys are read. */
const ITEMS = 20;

export const deploys: Command = {
  texts: deploysTexts,
  syntax: {
    usage: 'deploys [content] [--since 7d]',
    examples: ['deploys sales-report --since 30d'],
    subject: 'optional',
    options: { since: SINCE },
  },
  account: 'any',
  async run(run) {
    const { command, services, client, signal, share, texts } = run;
    const words = deploysTexts(texts);
    const since = textOption(command, 'since') ?? SINCE.default;
    const from = startOf(since, services.now());
    const me = await client.getCurrentUser({}, { signal });
    let content: ContentItem | null = null;
    if (command.subject !== '') {
      const found = await resolveContent(run);
      if ('message' in found) return found.message;
      ({ content } = found);
    }
    const isAdministrator = me.user_role === 'administrator';
    const all = isAdministrator ? words.allContent : words.editable;
    const about = content === null ? all : titleOf(content);
    const items =
      content === null ? (await listContent(run)).filter((item) => mayChange(item, me)) : [content];
    items.sort((a, b) => Date.parse(b.last_deployed_time) - Date.parse(a.last_deployed_time));
    const entries = isAdministrator
      ? await fromAudit(run, content, items, from)
      : await fromItems(run, items.slice(0, ITEMS), from);
    entries.sort((a, b) => Date.parse(b.time) - Date.parse(a.time));
    const cut = [
      ...(entries.length > SHOWN ? [words.newest(SHOWN)] : []),
      ...(!isAdministrator && items.length > ITEMS ? [words.onlySome(items.length, ITEMS)] : []),
    ];
    return deploysMessage({ about, since, entries: entries.slice(0, SHOWN), cut }, share, texts);
  },
};

/** How they ended is read for the content items that were deployed last. */
async function fromAudit(
  run: Run,
  content: ContentItem | null,
  items: readonly ContentItem[],
  from: number,
): Promise<DeployEntry[]> {
  const audited: AuditedDeploy[] = [];
  for await (const deploy of deploysIn(run.client, from, run.signal, content?.guid ?? null)) {
    audited.push(deploy);
    if (audited.length > SHOWN) break;
  }
  const byGuid = new Map(items.map((item) => [item.guid, item]));
  const named = [...new Set(audited.flatMap(({ content: guid }) => byGuid.get(guid ?? '') ?? []))];
  const lists = await Promise.all(
    named.slice(0, ITEMS).map(({ guid }) => deploysOf(run.client, guid, { signal: run.signal })),
  );
  const deploys = lists.flatMap((list) => list ?? []);
  const live = new Set<string>();
  return audited.map((one) => {
    const item = byGuid.get(one.content ?? '');
    const deploy = deploys.find(({ task_id }) => task_id !== null && task_id === one.task);
    const state = deploy ? outcomeOf(deploy) : null;
    // The newest deploy of the active bundle, not earlier ones.
    const active =
      item !== undefined &&
      one.bundle !== null &&
      one.bundle === item.bundle_id &&
      deploy?.state !== 'failed' &&
      !live.has(item.guid);
    if (active) live.add(item.guid);
    return { time: one.time, who: one.who, what: whatOf(one, item, run.texts), state, active };
  });
}

/** In the log's own words for content that is gone, without its identifiers. */
function whatOf(
  { bundle, what }: Pick<AuditedDeploy, 'bundle' | 'what'>,
  item: ContentItem | undefined,
  texts: Texts,
): string {
  if (item === undefined) return what.replace(/ \([0-9a-f-]{36}\)/i, '').replace(/, task \w{16}.*$/s, '');
  return bundle === null ? titleOf(item) : deploysTexts(texts).entry(titleOf(item), bundle);
}

async function fromItems(run: Run, items: readonly ContentItem[], from: number): Promise<DeployEntry[]> {
  const names = new Map<string, Promise<string | null>>();
  const nameFor = (guid: string | null): Promise<string | null> | null => {
    if (guid === null) return null;
    if (!names.has(guid)) names.set(guid, nameOf(run, guid));
    return names.get(guid) ?? null;
  };
  const lists = await Promise.all(
    items.map(async (item) => {
      const deploys = await deploysOf(run.client, item.guid, { signal: run.signal });
      if (deploys === null) return fromBundles(run, item, from);
      const live = deploys.find(({ state, active }) => active && state === 'succeeded');
      return Promise.all(
        deploys
          .filter(({ started_time }) => Date.parse(started_time) >= from)
          .map(async ({ started_time: time, user_guid, bundle_id, task_id, ...outcome }) => ({
            time,
            who: (await nameFor(user_guid)) ?? '–',
            what: deploysTexts(run.texts).entry(titleOf(item), bundle_id),
            state: outcomeOf(outcome),
            active: task_id === live?.task_id && time === live.started_time,
          })),
      );
    }),
  );
  return lists.flat();
}

/** Uses uploads if the server does not list deploys. */
async function fromBundles(run: Run, item: ContentItem, from: number): Promise<DeployEntry[]> {
  const [owner, bundles] = await Promise.all([nameOf(run, item.owner_guid), bundlesOf(run, item.guid)]);
  return bundles
    .filter(({ created_time }) => Date.parse(created_time) >= from)
    .map(({ created_time, id, active }) => ({
      time: created_time,
      who: owner ?? '–',
      what: deploysTexts(run.texts).uploaded(titleOf(item), id),
      state: null,
      active,
    }));
}
