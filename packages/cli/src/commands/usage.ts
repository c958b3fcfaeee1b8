// pressroom usage: visits and sessions of content.
import { countsUse } from '@pressroom/api/contract';
import { summarizeUsage, type UsageBy, type UsageSummary } from '@pressroom/api/usage';
import { resolveContent } from '../arguments/content-argument.ts';
import { type Command, stringOption } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { show } from '../terminal/output.ts';

const DAY = 86_400_000;
const BY: readonly string[] = ['day', 'week', 'user'] satisfies UsageBy[];
/** Minimum records for a progress bar. */
const WORTH_A_BAR = 5000;
const UNCOUNTED = 'Requests to an API are neither visits nor sessions';

export const usage: Command = {
  name: 'usage',
  synopsis: 'usage [CONTENT]',
  summary: 'Count visits and sessions of published content',
  help: [
    '  --days NUMBER      Number of days to count, today included, in UTC (default: 30)',
    '  --by WORD          Also list by day, week or user',
    '',
    `  ${UNCOUNTED}`,
  ],
  options: { days: { type: 'string' }, by: { type: 'string' } },
  choices: { by: BY },
  positionals: [0, 1],
  readsOnly: true,
  async run(context) {
    const days = stringOption(context, 'days') ?? '30';
    if (!/^[1-9]\d{0,4}$/.test(days)) throw new UsageError('--days must be a number of days.');
    const by = stringOption(context, 'by');
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    const { app_mode } = await client.getContent({ guid }, { signal: context.signal });
    if (!context.json && !countsUse(app_mode)) context.terminal.note(`${UNCOUNTED}.`);
    const to = Date.now();
    const summary = await summarizeUsage({
      client,
      contents: [guid],
      // Today counts as a day, as in the dashboard.
      from: (Math.floor(to / DAY) - Number(days) + 1) * DAY,
      to,
      by: (by as UsageBy | undefined) ?? 'day',
      signal: context.signal,
      onProgress: ({ share, records }) => {
        if (!context.json && records >= WORTH_A_BAR) {
          context.terminal.progress('Counting', share, `${records} records`);
        }
      },
    });
    context.terminal.endProgress();
    const at = (time: number) => new Date(time).toISOString();
    return show(context, { guid, ...summary, from: at(summary.from), to: at(to) }, () => [
      ...totals(days, summary),
      ...(by === undefined ? [] : series(by, summary)),
    ]);
  },
};

function totals(days: string, summary: UsageSummary): string[][] {
  const { visits, sessions, unique_users, anonymous, trend, previous } = summary;
  const change = trend === null ? '' : `${trend < 0 ? '' : '+'}${Math.round(trend * 100)} %`;
  return [
    [`LAST ${days} DAYS`, 'VISITS', 'SESSIONS', 'USERS', 'ANONYMOUS', 'PREVIOUS PERIOD'],
    ['', ...[visits, sessions, unique_users, anonymous].map(String), `${previous} ${change}`.trim()],
  ];
}

function series(by: string, { series: entries }: UsageSummary): string[][] {
  return [
    [`BY ${by.toUpperCase()}`, 'VISITS', 'SESSIONS'],
    ...entries.map(({ key, visits, sessions }) => [key, String(visits), String(sessions)]),
  ];
}
