// pressroom share: lists who can see and edit content, and adds people.
import { type Client, RefusedError } from '@pressroom/api/client';
import { ACCESS_TYPES } from '@pressroom/api/contract';
import { commandHint } from '../arguments/command-hint.ts';
import { resolveContentOption } from '../arguments/content-argument.ts';
import { readMoment } from '../arguments/moment.ts';
import { findPrincipal, type Principal } from '../arguments/principal.ts';
import { stringOption, type Command, type CommandContext } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { show, warn } from '../terminal/output.ts';

type AccessType = (typeof ACCESS_TYPES)[number];
const ACCESS: ReadonlyMap<string, string> = new Map<AccessType, string>([
  ['all', 'Anyone'],
  ['logged_in', 'All signed-in users'],
  ['acl', 'Only these users and groups'],
]);

/** A type that only the server knows is shown as it is. */
export function accessLabel(type: string): string {
  return ACCESS.get(type) ?? type;
}

export const share: Command = {
  name: 'share',
  synopsis: 'share [USER|GROUP] [--content CONTENT]',
  summary: 'Show who can see content, or let a user or group see or edit it',
  help: [
    '  --content CONTENT    Content to share (default: the current directory)',
    '  --edit               Let them edit it, too',
    '  --view               Let them only view it; takes the right to edit from who has it',
    '  --until TIME         When their access ends: 2026-12-31 (after that day here), 12h, 7d, never (default: never)',
    `  --access TYPE        Change who can see it: ${ACCESS_TYPES.join(', ')}`,
  ],
  options: {
    content: { type: 'string' },
    edit: { type: 'boolean' },
    view: { type: 'boolean' },
    until: { type: 'string' },
    access: { type: 'string' },
  },
  choices: { access: ACCESS_TYPES },
  positionals: [0, 1],
  async run(context) {
    const access = accessOf(context);
    const until = stringOption(context, 'until');
    const [name] = context.positionals;
    const role = roleOf(context);
    const option = role === 'owner' ? '--edit' : '--view';
    if (role !== undefined && name === undefined)
      throw new UsageError(
        `${option} requires a user or group.`,
        `Run: ${commandHint(context, `share USER ${option}`, 'option')}`,
      );
    if (until !== undefined && name === undefined)
      throw new UsageError(
        '--until requires a user or group.',
        `Run: ${commandHint(context, 'share USER --until 7d', 'option')}`,
      );
    const end = until === undefined ? undefined : readMoment(until, Date.now());
    const { client, guid } = await resolveContentOption(context);
    await using _client = client;
    const options = { signal: context.signal };
    // First: a misspelled name must not leave half of it done.
    const principal = name === undefined ? null : await findPrincipal(client, name, context);
    if (access !== undefined) await client.updateContent({ guid, access_type: access }, options);
    if (principal !== null) await add(context, client, guid, principal, { role, end });
    // Awaited: the client is closed when this returns.
    return await showAccess(context, client, guid);
  },
};

function accessOf(context: CommandContext): AccessType | undefined {
  const access = stringOption(context, 'access');
  return ACCESS_TYPES.find((type) => type === access);
}

/** Undefined without an option: who has a permission keeps its role. @throws UsageError for both */
function roleOf({ values }: CommandContext): 'owner' | 'viewer' | undefined {
  if (values['edit'] === true && values['view'] === true)
    throw new UsageError('--edit and --view cannot be used together.');
  if (values['edit'] === true) return 'owner';
  return values['view'] === true ? 'viewer' : undefined;
}

interface Wanted {
  /** Undefined to keep it: viewer for who has no permission. */
  readonly role: 'owner' | 'viewer' | undefined;
  /** Undefined to keep it. */
  readonly end: string | null | undefined;
}

async function add(
  context: CommandContext,
  client: Client,
  guid: string,
  { principal_guid, principal_type, label }: Principal,
  { role: wanted, end }: Wanted,
): Promise<void> {
  const { signal } = context;
  const known = await client.getPermissions({ guid }, { signal });
  const before = known.find((permission) => permission.principal_guid === principal_guid);
  const role = wanted ?? before?.role ?? 'viewer';
  if (wanted === undefined && before?.role === 'owner')
    warn(context, `${label} can still edit it. To let them only view it, add: --view`);
  if (before === undefined)
    await client.addPermission(
      { guid, principal_guid, principal_type, role, ...(end && { expires_time: end }) },
      { signal },
    );
  else if (before.role !== role || (end !== undefined && end !== (before.expires_time ?? null)))
    await client.updatePermission(
      { guid, id: before.id, role, ...(end !== undefined && { expires_time: end }) },
      { signal },
    );
}

async function showAccess(context: CommandContext, client: Client, guid: string): Promise<number> {
  const { terminal, json, signal } = context;
  const content = await client.getContent({ guid }, { signal });
  const permissions = await client.getPermissions({ guid }, { signal });
  const named = await Promise.all(
    permissions.map(async (permission) => ({
      ...permission,
      name: await nameOf(client, permission.principal_guid, permission.principal_type, signal),
    })),
  );
  if (!json) {
    // What a colleague who was just added is sent, and whom they ask. Some servers leave them out.
    const { url, owner_guid } = content;
    if (url) terminal.print(`Address: ${url}`);
    if (owner_guid) terminal.print(`Owner: ${await nameOf(client, owner_guid, 'user', signal)}`);
    terminal.print(`Visible to: ${accessLabel(content.access_type)}`);
  }
  return show(
    context,
    { access_type: content.access_type, permissions: named },
    () =>
      named.map(({ name, principal_type, role, expires_time }) => [
        principal_type === 'group' ? `${name} (group)` : name,
        role === 'owner' ? 'can edit' : 'can view',
        ...(expires_time === undefined ? [] : [`until ${expires_time}`]),
      ]),
    'Besides its owner, nobody was given access.',
  );
}

/** The GUID of who was deleted, or may not be seen; some servers give none. */
async function nameOf(
  client: Client,
  guid: string | undefined,
  type: 'user' | 'group',
  signal: AbortSignal,
): Promise<string> {
  if (!guid) return 'somebody';
  try {
    if (type === 'group') return (await client.getGroup({ guid }, { signal })).name;
    return (await client.getUser({ guid }, { signal })).username;
  } catch (error) {
    if (error instanceof RefusedError && (error.status === 403 || error.status === 404)) return guid;
    throw error;
  }
}
