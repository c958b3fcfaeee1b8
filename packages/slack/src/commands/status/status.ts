// `status`: whether content is live; without a name, the server and the invoker's content.
import { type ContentItem, isMissingEndpoint } from '@pressroom/api/client';
import type { Bundle } from '@pressroom/api/contract';
import { deploysOf } from '@pressroom/api/publish';
import { fullName } from '../../blocks/names.ts';
import type { Command, Run } from '../command.ts';
import { bundlesOf, listContent, mayChange, nameOf, resolveContent } from '../shared/find-content.ts';
import { overviewMessage, statusMessage, type Status } from './blocks.ts';
import { statusTexts } from './texts.ts';

export const status: Command = {
  texts: statusTexts,
  syntax: {
    usage: 'status [content]',
    examples: ['status', 'status sales-report', 'status https://content.example.com/content/…/'],
    subject: 'optional',
    options: {},
  },
  account: 'any',
  async run(run) {
    const { client, command, signal, share, texts } = run;
    if (command.subject === '') return overview(run);
    const found = await resolveContent(run);
    if ('message' in found) return found.message;
    const { content } = found;
    const [owner, bundles, me, deploys, lock] = await Promise.all([
      nameOf(run, content.owner_guid),
      bundlesOf(run, content.guid),
      client.getCurrentUser({}, { signal }),
      deploysOf(client, content.guid, { signal }),
      // For collaborators, on servers with locks.
      client.getDeployLock({ guid: content.guid }, { signal }).catch(() => null),
    ]);
    const last = deploys?.[0] ?? null;
    const mayDeploy = mayChange(content, me);
    const next = mayDeploy ? await nextOf(run, content, bundles) : { drafts: [], release: null };
    return statusMessage({ content, owner, bundles, last, lock, mayDeploy, ...next }, share, texts);
  },
};

/** What may go live next: drafts, and the newest bundle, on servers that have them. */
async function nextOf(
  { client, signal }: Run,
  { guid, bundle_id: live }: ContentItem,
  bundles: readonly Bundle[],
): Promise<Pick<Status, 'drafts' | 'release'>> {
  const [newest] = bundles.toSorted((a, b) => Date.parse(b.created_time) - Date.parse(a.created_time));
  const [drafts, release] = await Promise.all([
    client.getDrafts({ guid }, { signal }).catch(() => []),
    newest === undefined || newest.id === live
      ? null
      : client.getBundleRelease({ guid, id: newest.id }, { signal }).catch(() => null),
  ]);
  return { drafts, release };
}

async function overview({ client, services, signal, share, texts }: Run) {
  const [settings, me] = await Promise.all([
    // Not in the contract.
    client.getServerSettings({}, { signal }).catch((error: unknown) => {
      if (isMissingEndpoint(error)) return {};
      throw error;
    }),
    client.getCurrentUser({}, { signal }),
  ]);
  const mine = await listContent({ client, signal }, me.guid);
  // Other servers report one version only, or none.
  const told = settings as { server_version?: string; version?: string };
  const version = told.server_version ?? told.version ?? null;
  const { server } = services.clients;
  return overviewMessage({ server, version, who: fullName(me), mine }, share, texts);
}
