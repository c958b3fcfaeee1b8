// `status`: whether content is live; without a name, the server and the invoker's content.
import { deploysOf } from '@pressroom/api/publish';
import { fullName } from '../../blocks/names.ts';
import type { Command, Run } from '../command.ts';
import { bundlesOf, listContent, mayChange, nameOf, resolveContent } from '../shared/find-content.ts';
import { overviewMessage, statusMessage } from './blocks.ts';
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
    return statusMessage({ content, owner, bundles, last, lock, mayDeploy }, share, texts);
  },
};

async function overview({ client, services, signal, share, texts }: Run) {
  const [settings, me] = await Promise.all([
    client.getServerSettings({}, { signal }),
    client.getCurrentUser({}, { signal }),
  ]);
  const mine = await listContent({ client, signal }, me.guid);
  // Other servers report one version only, or none.
  const told = settings as { server_version?: string; version?: string };
  const version = told.server_version ?? told.version ?? null;
  const { server } = services.clients;
  return overviewMessage({ server, version, who: fullName(me), mine }, share, texts);
}
