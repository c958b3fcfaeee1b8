// pressroom access-requests: requests for access to content and for the publisher role, and their decision.
import type { Client } from '@pressroom/api/client';
import { resolveContent } from '../arguments/content-argument.ts';
import { type CommandContext, stringOption, type Command } from '../command.ts';
import { openClient, resolveConnection } from '../connection.ts';
import { UsageError } from '../exit-codes.ts';
import { confirm, show } from '../terminal/output.ts';

type Decision = { readonly decision: 'grant'; readonly role: 'viewer' | 'owner' } | { decision: 'decline' };

export const accessRequests: Command = {
  name: 'access-requests',
  synopsis: 'access-requests [CONTENT]',
  summary: 'Show, grant or decline requests for access to one content item, or to all that you share',
  help: [
    '  --grant ID           Give who asks access; with a username: make a viewer a publisher',
    '  --decline ID         Close the request',
    '  --role ROLE          What a grant makes: viewer (default), or owner for a collaborator',
    '  --become-publisher   Ask the administrators to make you a publisher',
    '  --message TEXT       With --become-publisher: why, in one line',
  ],
  options: {
    grant: { type: 'string' },
    decline: { type: 'string' },
    role: { type: 'string' },
    'become-publisher': { type: 'boolean' },
    message: { type: 'string' },
  },
  choices: { role: ['viewer', 'owner'] },
  positionals: [0, 1],
  async run(context) {
    const granted = stringOption(context, 'grant');
    const id = granted ?? stringOption(context, 'decline');
    const decision = decisionOf(context);
    const { signal } = context;
    const isAsking = context.values['become-publisher'] === true;
    const message = stringOption(context, 'message');
    if (message !== undefined && !isAsking) throw new UsageError('--message requires --become-publisher.');
    if (isAsking && (id !== undefined || context.positionals.length > 0))
      throw new UsageError('--become-publisher takes no content, and neither --grant nor --decline.');
    const { client, guid } = await resolve(context);
    await using _client = client;
    if (isAsking) {
      const request = await client.requestPublisherRole(
        { ...(message !== undefined && { message }) },
        { signal },
      );
      return confirm(context, request, 'The administrators were asked.');
    }
    if (id !== undefined) {
      await decide(client, { guid, id }, decision, signal);
      return confirm(context, null, `Request ${id} was ${granted === undefined ? 'declined' : 'granted'}.`);
    }
    if (guid === null) return await showAll(context, client);
    const all = await client.getContentAccessRequests({ guid }, { signal });
    return show(context, all, (rows) => [
      ['ID', 'WHO', 'ASKED', 'MESSAGE'],
      ...rows.map((row) => [row.id, row.username, row.created_time, row.message ?? '']),
    ]);
  },
};

/** @throws UsageError */
function decisionOf(context: CommandContext): Decision {
  const [granted, declined] = [stringOption(context, 'grant'), stringOption(context, 'decline')];
  const role = stringOption(context, 'role');
  if (granted !== undefined && declined !== undefined)
    throw new UsageError('--grant and --decline cannot be used together.');
  if (role !== undefined && granted === undefined) throw new UsageError('--role requires --grant.');
  if (declined !== undefined) return { decision: 'decline' };
  return { decision: 'grant', role: role === 'owner' ? 'owner' : 'viewer' };
}

/** `guid` is null for all content. */
async function resolve(context: CommandContext): Promise<{ client: Client; guid: string | null }> {
  const [argument] = context.positionals;
  if (argument !== undefined) return resolveContent(context, argument);
  return { client: openClient(context, await resolveConnection(context)), guid: null };
}

/** Ids of access requests are numbers; role requests are named by username. @throws UsageError */
async function decide(
  client: Client,
  { guid, id }: { guid: string | null; id: string },
  decided: Decision,
  signal: AbortSignal,
): Promise<void> {
  if (guid !== null) return client.decideContentAccessRequest({ guid, id, ...decided }, { signal });
  const found = (await client.getAccessRequests({}, { signal })).find((one) => one.id === id);
  if (found)
    return client.decideContentAccessRequest({ guid: found.content_guid, id, ...decided }, { signal });
  const asking = (await roleRequests(client, signal)).find((one) => one.username === id);
  if (!asking) throw new UsageError(`There is no open request ${id}.`);
  const { decision } = decided;
  return client.decideRoleRequest({ guid: asking.user_guid, decision }, { signal });
}

/** Empty for people who cannot decide them. */
async function roleRequests(client: Client, signal: AbortSignal) {
  const { user_role: role } = await client.getCurrentUser({}, { signal });
  return role === 'administrator' ? client.getRoleRequests({}, { signal }) : [];
}

async function showAll(context: CommandContext, client: Client): Promise<number> {
  const { signal } = context;
  const all = {
    access_requests: await client.getAccessRequests({}, { signal }),
    role_requests: await roleRequests(client, signal),
  };
  return show(context, all, ({ access_requests: requests, role_requests: roles }) => [
    ['ID', 'WHO', 'WANTS', 'ASKED', 'MESSAGE'],
    ...requests.map((row) => [
      row.id,
      row.username,
      row.content_title ?? row.content_name,
      row.created_time,
      row.message ?? '',
    ]),
    ...roles.map((row) => [
      row.username,
      row.username,
      'the publisher role',
      row.created_time,
      row.message ?? '',
    ]),
  ]);
}
