// pressroom drafts: deployed drafts and their addresses.
import { resolveContent } from '../arguments/content-argument.ts';
import type { Command } from '../command.ts';
import { show } from '../terminal/output.ts';

export const drafts: Command = {
  name: 'drafts',
  synopsis: 'drafts [CONTENT]',
  summary: 'List the drafts and previews of published content',
  positionals: [0, 1],
  async run(context) {
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    const all = await client.getDrafts({ guid }, { signal: context.signal });
    return show(context, all, (rows) => [
      ['BUNDLE', 'PREVIEW', 'BY', 'UNTIL', 'ADDRESS'],
      ...rows.map(({ bundle_id, preview, username, expires_time, url }) => [
        bundle_id,
        preview ?? '',
        username ?? '',
        expires_time,
        url,
      ]),
    ]);
  },
};
