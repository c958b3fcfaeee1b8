// pressroom admin users: list accounts with their last use; add, set role, lock and unlock.
import { ROLES, type User } from '@pressroom/api/contract';
import { matchingUsers } from '../../arguments/matching-users.ts';
import { findUser } from '../../arguments/principal.ts';
import { parseRole, roleOption } from '../../arguments/role.ts';
import { stringOption, type Command, type CommandGroup } from '../../command.ts';
import { openClient, resolveConnection } from '../../connection.ts';
import { UsageError } from '../../exit-codes.ts';
import { fullName } from '../../terminal/full-name.ts';
import { confirm, show } from '../../terminal/output.ts';

const DAY = 86_400_000;

const list: Command = {
  name: 'list',
  synopsis: 'admin users list [PREFIX]',
  summary: 'List users with their last use',
  help: [
    `  --role ROLE        Only users with this role: ${ROLES.join(', ')}`,
    '  --locked           Only locked users',
    '  --unused DAYS      Only users who have not used the server for this many days',
  ],
  options: { role: { type: 'string' }, locked: { type: 'boolean' }, unused: { type: 'string' } },
  choices: { role: ROLES },
  positionals: [0, 1],
  async run(context) {
    const { values, positionals } = context;
    const unused = stringOption(context, 'unused');
    if (unused !== undefined && !/^[1-9]\d{0,4}$/.test(unused))
      throw new UsageError('--unused must be a number of days.');
    const role = roleOption(context, 'role');
    const [prefix] = positionals;
    const query = {
      ...(prefix !== undefined && { prefix }),
      ...(role !== undefined && { user_role: [role] }),
      ...(values['locked'] === true && { account_status: ['locked'] }),
    };
    await using client = openClient(context, await resolveConnection(context));
    const all = await matchingUsers(context, client, query);
    const before = unused === undefined ? Infinity : Date.now() - Number(unused) * DAY;
    return show(
      context,
      all.filter((user) => unused === undefined || lastUse(user) < before),
      tableOf,
    );
  },
};

const add: Command = {
  name: 'add',
  synopsis: 'admin users add USERNAME',
  summary: 'Add a user; where the server keeps passwords, print a link to set one',
  help: [
    '  --email ADDRESS    E-mail address',
    '  --first-name NAME  First name',
    '  --last-name NAME   Last name',
    `  --role ROLE        ${ROLES.join(', ')} (default: that of the server for new users)`,
  ],
  options: {
    email: { type: 'string' },
    'first-name': { type: 'string' },
    'last-name': { type: 'string' },
    role: { type: 'string' },
  },
  choices: { role: ROLES },
  positionals: [1, 1],
  async run(context) {
    const { terminal, json, signal, positionals } = context;
    const [username = ''] = positionals;
    const role = roleOption(context, 'role');
    const [email, first_name, last_name] = ['email', 'first-name', 'last-name'].map((name) =>
      stringOption(context, name),
    );
    await using client = openClient(context, await resolveConnection(context));
    const { authentication } = await client.getServerSettings({}, { signal });
    const withPassword = authentication.name === 'password';
    const user = await client.createPushUser(
      {
        username,
        ...(email !== undefined && { email }),
        ...(first_name !== undefined && { first_name }),
        ...(last_name !== undefined && { last_name }),
        ...(role !== undefined && { user_role: role }),
        ...(withPassword && { user_must_set_password: true }),
      },
      { signal },
    );
    if (!withPassword) return confirm(context, user, `Added ${user.username}, ${user.user_role}.`);
    const link = await client.createPasswordLink({ guid: user.guid }, { signal });
    if (!json) {
      terminal.note(`Added ${user.username}, ${user.user_role}.`);
      terminal.note(`Send this link to set a password. It works once, until ${link.expires_time}:`);
    }
    return show(context, { ...user, password_link: link }, () => [[link.url]]);
  },
};

const role: Command = {
  name: 'role',
  synopsis: 'admin users role USER ROLE',
  summary: `Give a user a role: ${ROLES.join(', ')}`,
  positionals: [2, 2],
  async run(context) {
    const { signal, positionals } = context;
    const [name = '', wanted = ''] = positionals;
    const user_role = parseRole(wanted);
    await using client = openClient(context, await resolveConnection(context));
    const { guid } = await findUser(client, name, context);
    const user = await client.updateUser({ guid, user_role }, { signal });
    return confirm(context, user, `${user.username} is ${user.user_role} now.`);
  },
};

export const adminUsers: CommandGroup = {
  name: 'users',
  synopsis: 'admin users list|add|role|lock|unlock',
  summary: 'List, add, lock and unlock users, and change their roles',
  commands: [list, add, role, locking('lock'), locking('unlock')],
};

function locking(name: 'lock' | 'unlock'): Command {
  const locked = name === 'lock';
  return {
    name,
    synopsis: `admin users ${name} USER`,
    summary: locked ? 'Lock a user, who can no longer sign in' : 'Unlock a user',
    positionals: [1, 1],
    async run(context) {
      const { signal, positionals } = context;
      await using client = openClient(context, await resolveConnection(context));
      const { guid, username } = await findUser(client, positionals[0] ?? '', context);
      await client.lockUser({ guid, locked }, { signal });
      const user = await client.getUser({ guid }, { signal });
      return confirm(context, user, `${locked ? 'Locked' : 'Unlocked'} ${username}.`);
    },
  };
}

/** Milliseconds; for people who never signed in, the time of creation. */
function lastUse({ active_time, created_time }: User): number {
  return Date.parse(active_time ?? created_time);
}

function tableOf(users: readonly User[]): string[][] {
  return [
    ['USERNAME', 'NAME', 'ROLE', '', 'LAST USE', 'E-MAIL'],
    ...users.map((user) => [
      user.username,
      fullName(user),
      user.user_role,
      user.locked ? 'locked' : '',
      user.active_time ?? 'never',
      user.email,
    ]),
  ];
}
