// pressroom list: the content on a server.
import type { ContentItem } from '@pressroom/api/client';
import { appModeLabel } from '@pressroom/api/contract';
import type { Command } from '../command.ts';
import { openClient, resolveConnection } from '../connection.ts';
import { show } from '../terminal/output.ts';

export const list: Command = {
  name: 'list',
  synopsis: 'list [TEXT]',
  summary: 'List the content you can see, or what has TEXT in its name or title',
  help: [
    '  --mine             Only content that you own',
    '  --names            Only names, one on each line; with --output json, in a list',
  ],
  options: { mine: { type: 'boolean' }, names: { type: 'boolean' } },
  positionals: [0, 1],
  readsOnly: true,
  async run(context) {
    const { signal, values, positionals } = context;
    await using client = openClient(context, await resolveConnection(context));
    const mine = values['mine'] === true;
    const me = mine ? await client.getCurrentUser({}, { signal }) : null;
    const all = await client.listContent(me === null ? {} : { owner_guid: me.guid }, { signal });
    const found = all.filter((item) => contains(item, positionals[0] ?? '')).toSorted(byTitle);
    if (values['names'] === true)
      return show(
        context,
        found.map(({ name }) => name),
        (names) => names.map((name) => [name]),
      );
    return show(context, found, (items) => [
      ['TITLE', 'TYPE', 'YOUR ROLE', 'LAST PUBLISHED', 'GUID'],
      ...items.map((item) => [
        item.title ?? item.name,
        item.bundle_id === null ? 'not deployed yet' : appModeLabel(item.app_mode),
        item.role,
        item.bundle_id === null ? '' : item.last_deployed_time,
        item.guid,
      ]),
    ]);
  },
};

function contains({ name, title }: ContentItem, text: string): boolean {
  return [name, title].some((field) => (field ?? '').toLowerCase().includes(text.toLowerCase()));
}

function byTitle(a: ContentItem, b: ContentItem): number {
  return String(a.title ?? a.name).localeCompare(b.title ?? b.name);
}
