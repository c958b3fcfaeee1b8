// `who`: who owns a content item, who can view and edit it.
import { RefusedError } from '@pressroom/api/client';
import type { Permission } from '@pressroom/api/contract';
import type { Command, Run } from '../command.ts';
import { nameOf, resolveContent } from '../shared/find-content.ts';
import { whoMessage } from './blocks.ts';

/** People and groups whose names are looked up. */
const PEOPLE = 50;

export const who: Command = {
  syntax: {
    usage: 'who <content>',
    summary: 'Show who owns a content item and who can view or edit it',
    examples: ['who sales-report'],
    subject: 'required',
    options: {},
  },
  account: 'any',
  async run(run) {
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
    const people = await Promise.all(
      (permissions ?? []).slice(0, PEOPLE).map((item) => principal(run, item)),
    );
    return whoMessage({ content, owner, people, complete: permissions !== null }, share);
  },
};

async function principal(run: Run, { principal_guid, principal_type, role }: Permission) {
  const name =
    principal_type === 'user'
      ? await nameOf(run, principal_guid)
      : await run.client.getGroup({ guid: principal_guid }, { signal: run.signal }).then(
          (group) => `${group.name} (group)`,
          () => null,
        );
  return { name: name ?? principal_guid, access: role === 'owner' ? 'Can edit' : 'Can view' };
}
