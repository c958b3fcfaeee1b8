// pressroom unused: lists unused content, and keeps it.
import { stringOption, type Command } from '../command.ts';
import { openClient, resolveConnection } from '../connection.ts';
import { confirm, show } from '../terminal/output.ts';

export const unused: Command = {
  name: 'unused',
  synopsis: 'unused',
  summary: 'List your unused content; for administrators, that of everybody',
  help: ['  --keep GUID          Keep it: nobody is asked about it for the same time'],
  options: { keep: { type: 'string' } },
  positionals: [0, 0],
  async run(context) {
    const { signal } = context;
    await using client = openClient(context, await resolveConnection(context));
    const guid = stringOption(context, 'keep');
    if (guid !== undefined) {
      await client.keepContent({ guid }, { signal });
      return confirm(context, null, 'It is kept.');
    }
    const found = await client.getUnusedContent({}, { signal });
    return show(context, found, (rows) => [
      ['CONTENT', 'OWNER', 'LAST USE', 'PUBLISHED', 'GUID'],
      ...rows.map((row) => [
        row.content_title ?? row.content_name,
        row.owner_username ?? '',
        row.last_used_time ?? 'never',
        row.last_deployed_time ?? '',
        row.content_guid,
      ]),
    ]);
  },
};
