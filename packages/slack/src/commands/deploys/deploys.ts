// `deploys`: what was deployed, from the audit log or, for people who may not read it, from the bundles.
import type { ContentItem } from '@pressroom/api/client';
import { titleOf } from '../../blocks/names.ts';
import type { Command, Run } from '../command.ts';
import { startOf } from '../line/duration.ts';
import { textOption } from '../line/parsed-command.ts';
import { SINCE } from '../line/syntax.ts';
import { deploysIn } from '../shared/audit-log.ts';
import { bundlesOf, listContent, nameOf, resolveContent } from '../shared/find-content.ts';
import { deploysMessage, type DeployEntry } from './blocks.ts';

const SHOWN = 200;
/** Content items whose bundles are read. */
const ITEMS = 20;

export const deploys: Command = {
  syntax: {
    usage: 'deploys [content] [--since 7d]',
    summary: 'List the deploys of a content item, or of all content you can see',
    examples: ['deploys sales-report --since 30d'],
    subject: 'optional',
    options: { since: SINCE },
  },
  account: 'any',
  async run(run) {
    const { command, services, client, signal, share } = run;
    const since = textOption(command, 'since') ?? SINCE.default;
    const from = startOf(since, services.now());
    const me = await client.getCurrentUser({}, { signal });
    let content: ContentItem | null = null;
    if (command.subject !== '') {
      const found = await resolveContent(run);
      if ('message' in found) return found.message;
      ({ content } = found);
    }
    const about = content === null ? 'all content you can see' : titleOf(content);
    const entries =
      me.user_role === 'administrator'
        ? await fromAudit(run, content, from)
        : await fromBundles(run, content === null ? await listContent(run, me.guid) : [content], from);
    entries.sort((a, b) => Date.parse(b.time) - Date.parse(a.time));
    return deploysMessage(about, since, entries, share);
  },
};

async function fromAudit(run: Run, content: ContentItem | null, from: number): Promise<DeployEntry[]> {
  const entries: DeployEntry[] = [];
  const found = deploysIn(run.client, from, run.signal, content?.guid ?? null);
  for await (const { time, who, what, bundle } of found) {
    const active = content === null || bundle === null ? null : bundle === content.bundle_id;
    entries.push({ time, who, what, active });
    if (entries.length >= SHOWN) break;
  }
  return entries;
}

/** Without the audit log, uploads stand in for deploys. */
async function fromBundles(run: Run, items: readonly ContentItem[], from: number): Promise<DeployEntry[]> {
  const lists = await Promise.all(
    items.slice(0, ITEMS).map(async (item) => {
      const [owner, bundles] = await Promise.all([nameOf(run, item.owner_guid), bundlesOf(run, item.guid)]);
      return bundles
        .filter(({ created_time }) => Date.parse(created_time) >= from)
        .map(({ created_time, id, active }): DeployEntry => ({
          time: created_time,
          who: owner ?? '–',
          what: `${titleOf(item)}: bundle ${id} uploaded`,
          active,
        }));
    }),
  );
  return lists.flat();
}
