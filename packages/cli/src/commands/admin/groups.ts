// pressroom admin groups: groups and their members.
import type { Client } from '@pressroom/api/client';
import type { Group, User } from '@pressroom/api/contract';
import { commandHint } from '../../arguments/command-hint.ts';
import { findUser } from '../../arguments/principal.ts';
import { listOption, type Command, type CommandContext, type CommandGroup } from '../../command.ts';
import { openClient, resolveConnection } from '../../connection.ts';
import { UsageError } from '../../exit-codes.ts';
import { fullName } from '../../terminal/full-name.ts';
import { confirm, show } from '../../terminal/output.ts';
import { createPrompt } from '../../terminal/prompt.ts';

const list: Command = {
  name: 'list',
  synopsis: 'admin groups list [PREFIX]',
  summary: 'List groups',
  positionals: [0, 1],
  async run(context) {
    const { signal, positionals } = context;
    const [prefix] = positionals;
    await using client = openClient(context, await resolveConnection(context));
    const groups = client.each.getGroups(prefix === undefined ? {} : { prefix }, { signal });
    return show(context, await Array.fromAsync(groups), (all) => [
      ['NAME', 'GUID'],
      ...all.map(({ name, guid }) => [name, guid]),
    ]);
  },
};

const add: Command = {
  name: 'add',
  synopsis: 'admin groups add NAME',
  summary: 'Add a group; names have 3 to 64 letters and digits',
  positionals: [1, 1],
  async run(context) {
    const { signal, positionals } = context;
    await using client = openClient(context, await resolveConnection(context));
    const group = await client.createGroup({ name: positionals[0] ?? '' }, { signal });
    return confirm(context, group, `Added group ${group.name}.`);
  },
};

const remove: Command = {
  name: 'remove',
  synopsis: 'admin groups remove NAME',
  summary: 'Remove a group, and with it the permissions it gives its members',
  help: ['  --yes              Do not ask'],
  options: { yes: { type: 'boolean' } },
  positionals: [1, 1],
  async run(context) {
    const { terminal, signal, positionals, values, stdin, stderr } = context;
    await using client = openClient(context, await resolveConnection(context));
    const group = await findGroup(client, positionals[0] ?? '', context);
    if (values['yes'] !== true) {
      const prompt = createPrompt(stdin, stderr, signal);
      terminal.note(`This removes group ${group.name}. Its members lose what they see through it.`);
      const typed = await prompt.ask(`To confirm, enter its name: `).finally(() => prompt.close());
      if (typed !== group.name) throw new UsageError('The name does not match. Nothing was removed.');
    }
    await client.deleteGroup({ guid: group.guid }, { signal });
    return confirm(context, { removed: group }, `Removed group ${group.name}.`);
  },
};

const members: Command = {
  name: 'members',
  synopsis: 'admin groups members NAME',
  summary: 'List the members of a group, add or remove some',
  help: [
    '  --add USER         Add this user (repeatable)',
    '  --remove USER      Remove this user (repeatable)',
  ],
  options: { add: { type: 'string', multiple: true }, remove: { type: 'string', multiple: true } },
  positionals: [1, 1],
  async run(context) {
    const { signal, positionals } = context;
    await using client = openClient(context, await resolveConnection(context));
    const group = await findGroup(client, positionals[0] ?? '', context);
    const group_guid = group.guid;
    // All are looked up first: a wrong name changes nothing.
    const [added, removed] = await Promise.all(
      ['add', 'remove'].map((option) =>
        Promise.all(listOption(context, option).map((name) => findUser(client, name, context))),
      ),
    );
    const { results: before } = await client.getGroupMembers({ group_guid }, { signal });
    const stranger = removed?.find(({ guid }) => !before.some((member) => member.guid === guid));
    if (stranger !== undefined)
      throw new UsageError(`${stranger.username} is not a member of ${group.name}. Nothing was changed.`);
    for (const { guid } of added ?? [])
      await client.addGroupMember({ group_guid, user_guid: guid }, { signal });
    for (const { guid } of removed ?? [])
      await client.removeGroupMember({ group_guid, user_guid: guid }, { signal });
    const { results } = await client.getGroupMembers({ group_guid }, { signal });
    return show(context, results, tableOf);
  },
};

export const adminGroups: CommandGroup = {
  name: 'groups',
  synopsis: 'admin groups list|add|remove|members',
  summary: 'List, add and remove groups and their members',
  commands: [list, add, remove, members],
};

/** Throws UsageError. */
async function findGroup(client: Client, name: string, context: CommandContext): Promise<Group> {
  const { results } = await client.getGroups({ prefix: name }, { signal: context.signal });
  const found = results.find((group) => group.name?.toLowerCase() === name.toLowerCase());
  if (found === undefined)
    throw new UsageError(
      `There is no group ${name}.`,
      `To list groups, run: ${commandHint(context, 'admin groups list')}`,
    );
  return found;
}

function tableOf(users: readonly User[]): string[][] {
  return [
    ['USERNAME', 'NAME', 'ROLE'],
    ...users.map((user) => [user.username, fullName(user), user.user_role]),
  ];
}
