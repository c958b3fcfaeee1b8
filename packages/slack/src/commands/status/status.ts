// `status`, `who`, `deploys`: what is there, who may see it, what was deployed.
import { RefusedError, type Bundle, type ContentItem, type Permission } from '@pressroom/api';
import { parseDuration } from '../line/parse.ts';
import {
  deploysMessage,
  overviewMessage,
  statusMessage,
  titleOf,
  whoMessage,
  type DeployEntry,
} from './blocks.ts';
import { fullName } from '../user/blocks.ts';
import { deploysIn } from '../shared/audit-log.ts';
import { listContent, mayChange, nameOf, resolveContent, type Run, type Runner } from '../shared/find-content.ts';

/** Bundles looked at. */
const BUNDLES = 100;

export const status: Runner = async (run) => {
  const { client, command, signal, share } = run;
  if (command.subject === '') return overview(run);
  const found = await resolveContent(run);
  if ('message' in found) return found.message;
  const { content } = found;
  const [owner, bundles, me] = await Promise.all([
    nameOf(run, content.owner_guid),
    bundlesOf(run, content.guid),
    client.getCurrentUser({}, { signal }),
  ]);
  return statusMessage({ content, owner, bundles, mayDeploy: mayChange(content, me) }, share);
};

async function overview({ client, services, signal, share }: Run) {
  const [settings, me] = await Promise.all([
    client.getServerSettings({}, { signal }),
    client.getCurrentUser({}, { signal }),
  ]);
  const mine = await listContent({ client, signal }, me.guid);
  const version = (settings as { version?: string }).version ?? null;
  return overviewMessage({ server: services.clients.server, version, who: fullName(me), mine }, share);
}

export async function bundlesOf(run: Pick<Run, 'client' | 'signal'>, guid: string): Promise<Bundle[]> {
  const list: Bundle[] = [];
  try {
    for await (const bundle of run.client.each.getBundles({ guid }, { signal: run.signal })) {
      list.push(bundle);
      if (list.length > BUNDLES) list.shift();
    }
  } catch (error) {
    // Administrators without rights on an item see the item, but not its bundles.
    if (!(error instanceof RefusedError) || error.status === 401) throw error;
  }
  return list;
}

export const who: Runner = async (run) => {
  const found = await resolveContent(run);
  if ('message' in found) return found.message;
  const { content } = found;
  const { client, signal, share } = run;
  const [owner, permissions] = await Promise.all([
    nameOf(run, content.owner_guid),
    client.getPermissions({ guid: content.guid }, { signal }).catch((error: unknown) => {
      if (error instanceof RefusedError && error.status !== 401) return null;
      throw error;
    }),
  ]);
  const people = await Promise.all((permissions ?? []).slice(0, 50).map((item) => principal(run, item)));
  return whoMessage({ content, owner, people, complete: permissions !== null }, share);
};

async function principal(run: Run, { principal_guid, principal_type, role }: Permission) {
  const name =
    principal_type === 'user'
      ? await nameOf(run, principal_guid)
      : await run.client.getGroup({ guid: principal_guid }, { signal: run.signal }).then(
          (group) => `${group.name} (group)`,
          () => null,
        );
  return { name: name ?? principal_guid, role: role === 'owner' ? 'change it' : 'see it' };
}

export const deploys: Runner = async (run) => {
  const { command, services, client, signal, share } = run;
  const since = String(command.options['since']);
  const from = services.now() - parseDuration(since)! * 1000;
  const me = await client.getCurrentUser({}, { signal });
  let content: ContentItem | null = null;
  if (command.subject !== '') {
    const found = await resolveContent(run);
    if ('message' in found) return found.message;
    ({ content } = found);
  }
  const about = content === null ? 'what you may see' : titleOf(content);
  const entries =
    me.user_role === 'administrator'
      ? await fromAudit(run, content, from)
      : await fromBundles(run, content === null ? await listContent(run, me.guid) : [content], from);
  entries.sort((a, b) => Date.parse(b.time) - Date.parse(a.time));
  return deploysMessage(about, since, entries, share);
};

async function fromAudit(run: Run, content: ContentItem | null, from: number): Promise<DeployEntry[]> {
  const entries: DeployEntry[] = [];
  for await (const deploy of deploysIn(run.client, from, run.signal)) {
    if (content !== null && deploy.content !== content.guid) continue;
    const active = content === null || deploy.bundle === null ? null : deploy.bundle === content.bundle_id;
    entries.push({
      time: deploy.entry.time,
      who: deploy.entry.user_description,
      what: deploy.entry.event_description,
      active,
    });
    if (entries.length >= 200) break;
  }
  return entries;
}

/** Without the audit log: when what was uploaded. */
async function fromBundles(run: Run, items: readonly ContentItem[], from: number): Promise<DeployEntry[]> {
  const lists = await Promise.all(
    items.slice(0, 20).map(async (item) => {
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
