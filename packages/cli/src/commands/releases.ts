// pressroom releases: bundles that wait for approval, and their approvals.
import { resolveContent } from '../arguments/content-argument.ts';
import type { Command } from '../command.ts';
import { show } from '../terminal/output.ts';

export const releases: Command = {
  name: 'releases',
  synopsis: 'releases [CONTENT]',
  summary: 'List the bundles that wait for approval',
  positionals: [0, 1],
  async run(context) {
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    const all = await client.getReleases({ guid }, { signal: context.signal });
    return show(context, all, (rows) => [
      ['BUNDLE', 'ASKED', 'APPROVALS', 'BY', 'CAN APPROVE'],
      ...rows.map(({ bundle_id, asked_time, approvals, needed, asked, stuck }) => [
        bundle_id,
        asked_time,
        `${approvals.length} of ${needed}`,
        approvals.map(({ username }) => username).join(', '),
        stuck ? 'too few people: change the rule' : asked.map(({ username }) => username).join(', '),
      ]),
    ]);
  },
};
