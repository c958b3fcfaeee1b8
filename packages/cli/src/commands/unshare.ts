// pressroom unshare: removes the permission of a user or group.
import { resolveContentOption } from '../arguments/content-argument.ts';
import { findPrincipal } from '../arguments/principal.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { confirm } from '../terminal/output.ts';

export const unshare: Command = {
  name: 'unshare',
  synopsis: 'unshare USER|GROUP [--content CONTENT]',
  summary: 'Remove the permission of a user or group',
  help: ['  --content CONTENT    Content (default: the current directory)'],
  options: { content: { type: 'string' } },
  positionals: [1, 1],
  async run(context) {
    const { signal, positionals } = context;
    const { client, guid } = await resolveContentOption(context);
    await using _client = client;
    const { principal_guid, label } = await findPrincipal(client, positionals[0] ?? '', context);
    const permissions = await client.getPermissions({ guid }, { signal });
    const found = permissions.find((permission) => permission.principal_guid === principal_guid);
    if (found === undefined) throw new UsageError(`${label} has no permission of its own for this content.`);
    await client.deletePermission({ guid, id: found.id }, { signal });
    return confirm(context, { removed: found }, `Removed the permission of ${label}.`);
  },
};
