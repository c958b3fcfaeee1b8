// pressroom visitor-keys: whether an application gets API keys of its visitors, and acts for them.
import type { Client } from '@pressroom/api/client';
import type { Integration, IntegrationAssociation } from '@pressroom/api/contract';
import { resolveContent } from '../arguments/content-argument.ts';
import { requireAlone, stringOption, type Command, type CommandContext } from '../command.ts';
import { openClient, resolveConnection } from '../connection.ts';
import { askForAdministrator, UsageError } from '../exit-codes.ts';
import { confirm, show } from '../terminal/output.ts';

/** What an application does with keys of each role. */
const MAY: Readonly<Record<string, string>> = {
  viewer: 'read what its visitors may read',
  publisher: 'do what its visitors may do as publishers',
};
const SETTING = 'An administrator of the server changes that with the setting Applications.VisitorKeys.';

export const visitorKeys: Command = {
  name: 'visitor-keys',
  synopsis: 'visitor-keys [CONTENT]',
  summary: 'Show or set whether an application may act for its visitors',
  help: [
    '  --role ROLE          Give it API keys of its signed-in visitors: viewer (they read only), publisher.',
    '                       Whoever deploys it can then act for them, too (administrators)',
    '  --remove             Give it none any more; those that it has end (administrators)',
    '  --all                List all content that has them (administrators)',
  ],
  options: { role: { type: 'string' }, remove: { type: 'boolean' }, all: { type: 'boolean' } },
  choices: { role: Object.keys(MAY) },
  positionals: [0, 1],
  async run(context) {
    const { values, signal, positionals } = context;
    requireAlone(context, 'all', ['role', 'remove']);
    requireAlone(context, 'remove', ['role']);
    if (values['all'] === true) return listAll(context);
    const { client, guid } = await resolveContent(context, positionals[0]);
    await using _client = client;
    const offered = await offeredBy(client, signal);
    const role = stringOption(context, 'role');
    const isChange = role !== undefined || values['remove'] === true;
    if (isChange) {
      const wanted = role === undefined ? [] : [integrationFor(offered, role).guid];
      const others = (await client.getContentIntegrations({ guid }, { signal })).filter(isOther);
      const guids = [...others.map((one) => one.oauth_integration_guid), ...wanted];
      const body = guids.map((one) => ({ oauth_integration_guid: one }));
      await client.setContentIntegrations({ guid, body }, { signal }).catch(askForAdministrator);
    }
    const all = await client.getContentIntegrations({ guid }, { signal });
    const found = all.filter((one) => !isOther(one));
    const [first] = found;
    if (isChange) return confirm(context, found, first ? `It may ${described(offered, first)}.` : NONE);
    if (!first) return confirm(context, found, offered.length === 0 ? OFF : NONE);
    return show(context, found, (rows) =>
      rows.map((one) => [roleOf(offered, one), described(offered, one), `since ${one.created_time}`]),
    );
  },
};

const NONE = 'It does not act for its visitors.';
const OFF = 'This server gives no API keys of visitors.';

async function listAll(context: CommandContext): Promise<number> {
  const { signal, positionals } = context;
  if (positionals.length > 0) throw new UsageError('--all takes no content.');
  await using client = openClient(context, await resolveConnection(context));
  const offered = await offeredBy(client, signal);
  const found: IntegrationAssociation[] = [];
  for (const { guid: integration_guid } of offered)
    found.push(
      ...(await client.getIntegrationContent({ integration_guid }, { signal }).catch(askForAdministrator)),
    );
  if (offered.length === 0) return confirm(context, found, OFF);
  if (found.length === 0) return confirm(context, found, 'No content acts for its visitors.');
  const items = await client.listContent({}, { signal });
  const titles = new Map(items.map(({ guid, title, name }) => [guid, title || name]));
  return show(context, found, (all) => [
    ['CONTENT', 'ROLE', 'SINCE', 'GUID'],
    ...all.map((one) => [
      titles.get(one.app_guid) ?? '',
      roleOf(offered, one),
      one.created_time,
      one.app_guid,
    ]),
  ]);
}

/** Other servers have integrations of other kinds, too, which stay as they are. */
function isOther({ oauth_integration_template: template }: IntegrationAssociation): boolean {
  return template !== 'connect';
}

async function offeredBy(client: Client, signal: AbortSignal): Promise<Integration[]> {
  const all = await client.getIntegrations({}, { signal });
  return all.filter(({ template }) => template === 'connect');
}

/** @throws UsageError */
function integrationFor(offered: readonly Integration[], role: string): Integration {
  const found = offered.find((one) => roleIn(one) === role);
  if (found) return found;
  throw new UsageError(
    offered.length === 0 ? OFF : `This server gives no API keys of visitors with the role ${role}.`,
    SETTING,
  );
}

const roleIn = ({ config }: Integration) => config.max_role.toLowerCase();

/** Empty for an integration that is not offered. */
function roleOf(offered: readonly Integration[], { oauth_integration_guid }: IntegrationAssociation): string {
  const found = offered.find(({ guid }) => guid === oauth_integration_guid);
  return found ? roleIn(found) : '';
}

function described(offered: readonly Integration[], one: IntegrationAssociation): string {
  return MAY[roleOf(offered, one)] ?? one.oauth_integration_name;
}
