// pressroom token: API keys of the current account. A new key is printed once, to standard output only.
import type { Client } from '@pressroom/api/client';
import { ROLES, type ApiKey } from '@pressroom/api/contract';
import { commandHint } from '../arguments/command-hint.ts';
import { readMoment } from '../arguments/moment.ts';
import { roleOption } from '../arguments/role.ts';
import { stringOption, type Command, type CommandContext, type CommandGroup } from '../command.ts';
import { openClient, resolveConnection } from '../connection.ts';
import { UsageError } from '../exit-codes.ts';
import { confirm, show } from '../terminal/output.ts';

const create: Command = {
  name: 'create',
  synopsis: 'token create NAME',
  summary: 'Create an API key and print it, this once',
  help: [
    `  --role ROLE        The most that it may do: ${ROLES.join(', ')} (default: what you may)`,
    '  --expires TIME     When it ends: 2027-01-31 (after that day here), 12h, 90d, never (default: never)',
  ],
  options: { role: { type: 'string' }, expires: { type: 'string' } },
  choices: { role: ROLES },
  positionals: [1, 1],
  async run(context) {
    const role = roleOption(context, 'role');
    const expires = stringOption(context, 'expires');
    const expires_time = expires === undefined ? null : readMoment(expires, Date.now());
    const [name = ''] = context.positionals;
    const limits = {
      ...(role !== undefined && { role }),
      ...(expires_time !== null && { expires_time }),
    };
    await using client = openClient(context, await resolveConnection(context));
    const made = await client.createOwnApiKey({ name, ...limits }, { signal: context.signal });
    if (!context.json)
      context.terminal.note(`Created API key ${made.name} (${made.id}). It is shown only once:`);
    return show(context, made, ({ key }) => [[key]]);
  },
};

const list: Command = {
  name: 'list',
  synopsis: 'token list',
  summary: 'List your API keys, without the keys themselves',
  positionals: [0, 0],
  async run(context) {
    await using client = openClient(context, await resolveConnection(context));
    const { keys } = await ownKeys(client, context.signal);
    return show(context, keys, (all) => [
      ['ID', 'NAME', 'ROLE', 'CREATED', 'LAST USED', 'EXPIRES'],
      ...all.map((key) => [
        key.id,
        key.name,
        key.role ?? '',
        key.created_time,
        key.last_used_time ?? 'never',
        key.expires_time ?? 'never',
      ]),
    ]);
  },
};

const revoke: Command = {
  name: 'revoke',
  synopsis: 'token revoke ID|NAME',
  summary: 'Revoke an API key; who uses it loses access at once',
  positionals: [1, 1],
  async run(context) {
    const { signal, positionals } = context;
    await using client = openClient(context, await resolveConnection(context));
    const { guid, keys } = await ownKeys(client, signal);
    const key = keyCalled(context, keys, positionals[0] ?? '');
    await client.deleteApiKey({ guid, id: key.id }, { signal });
    return confirm(context, { revoked: key }, `Revoked API key ${key.name} (${key.id}).`);
  },
};

export const token: CommandGroup = {
  name: 'token',
  synopsis: 'token create|list|revoke',
  summary: 'Create, list and revoke your API keys',
  commands: [create, list, revoke],
};

async function ownKeys(client: Client, signal: AbortSignal): Promise<{ guid: string; keys: ApiKey[] }> {
  const { guid } = await client.getCurrentUser({}, { signal });
  return { guid, keys: await client.getApiKeys({ guid }, { signal }) };
}

function keyCalled(context: CommandContext, keys: readonly ApiKey[], text: string): ApiKey {
  const found = keys.filter(({ id }) => id === text);
  const [first, second] = found.length > 0 ? found : keys.filter(({ name }) => name === text);
  if (first === undefined)
    throw new UsageError(
      `You have no API key ${text}.`,
      `To list your keys, run: ${commandHint(context, 'token list')}`,
    );
  if (second !== undefined)
    throw new UsageError(
      `Several of your API keys are called ${text}.`,
      `Use the ID: ${commandHint(context, 'token list')}`,
    );
  return first;
}
