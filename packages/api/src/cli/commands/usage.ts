// pressroom usage: how often content was seen, counted while the records stream in.
import type { Command } from '../command.ts';
import { stringOption } from '../command.ts';
import { resolveContent } from '../content-argument.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { table } from '../terminal.ts';

export const usage: Command = {
  name: 'usage',
  synopsis: 'usage [DIR|GUID]',
  summary: 'Count visits and sessions of published content',
  help: ['  --days NUMBER      How far back; 30 if not given'],
  options: { days: { type: 'string' } },
  positionals: [0, 1],
  async run(context) {
    const days = stringOption(context, 'days') ?? '30';
    if (!/^[1-9]\d{0,4}$/.test(days)) throw new UsageError('--days must be a number of days.');
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    const options = { signal: context.signal };
    const from = new Date(Date.now() - Number(days) * 86_400_000).toISOString();
    const query = { content_guid: guid, from, limit: 500 };
    const visits = createCount();
    for await (const visit of client.each.getContentVisits(query, options))
      visits.add(visit.user_guid, visit.time);
    const sessions = createCount();
    for await (const use of client.each.getShinyAppUsage(query, options))
      sessions.add(use.user_guid, use.started);
    const result = { guid, from, visits: visits.summary(), sessions: sessions.summary() };
    if (context.json) {
      context.terminal.printJson(result);
      return EXIT.ok;
    }
    const row = (label: string, count: Summary) => [
      label,
      String(count.count),
      String(count.people),
      String(count.anonymous),
      count.last ?? '',
    ];
    const rows = [
      [`LAST ${days} DAYS`, 'COUNT', 'PEOPLE', 'WITHOUT ACCOUNT', 'LAST'],
      row('Visits', result.visits),
      row('Sessions', result.sessions),
    ];
    for (const line of table(rows)) context.terminal.print(line);
    return EXIT.ok;
  },
};

interface Summary {
  count: number;
  /** Different accounts. */
  people: number;
  /** Visits of nobody in particular. */
  anonymous: number;
  last: string | null;
}

const NOBODY = '00000000-0000-0000-0000-000000000000';

function createCount() {
  const people = new Set<string>();
  let count = 0;
  let anonymous = 0;
  let last: string | null = null;
  return {
    add(user: string | null, time: string): void {
      count += 1;
      if (user === null || user === NOBODY) anonymous += 1;
      else people.add(user);
      if (last === null || Date.parse(time) > Date.parse(last)) last = time;
    },
    summary: (): Summary => ({ count, people: people.size, anonymous, last }),
  };
}
