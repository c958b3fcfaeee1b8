// pressroom users: the users of a server.
import { ROLES } from '@pressroom/api/contract';
import { matchingUsers } from '../arguments/matching-users.ts';
import { roleOption } from '../arguments/role.ts';
import type { Command } from '../command.ts';
import { openClient, resolveConnection } from '../connection.ts';
import { fullName } from '../terminal/full-name.ts';
import { show } from '../terminal/output.ts';

export const users: Command = {
  name: 'users',
  synopsis: 'users [PREFIX]',
  summary: 'List the users of the server',
  help: [`  --role ROLE        Only users with this role: ${ROLES.join(', ')}`],
  options: { role: { type: 'string' } },
  choices: { role: ROLES },
  positionals: [0, 1],
  readsOnly: true,
  async run(context) {
    await using client = openClient(context, await resolveConnection(context));
    const prefix = context.positionals[0];
    const role = roleOption(context, 'role');
    const query = {
      ...(prefix !== undefined && { prefix }),
      ...(role !== undefined && { user_role: [role] }),
    };
    const list = await matchingUsers(context, client, query);
    return show(context, list, (users) => [
      ['USERNAME', 'NAME', 'ROLE', '', 'E-MAIL'],
      ...users.map((user) => [
        user.username,
        fullName(user),
        user.user_role,
        user.locked ? 'locked' : '',
        user.email,
      ]),
    ]);
  },
};
