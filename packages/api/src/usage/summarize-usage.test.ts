import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidResponseError, RefusedError } from '../client/failures.ts';
import { summarizeUsage, type UsageReader } from './summarize-usage.ts';

const NOBODY = '00000000-0000-0000-0000-000000000000';
const CALL = { operation: 'getUsageSummary', server: 'https://connect.example' };
const DAY = 86_400_000;
const TO = Date.parse('2026-03-02T00:00:00Z');
const FROM = TO - 14 * DAY;

interface Seen {
  readonly content: string;
  readonly user: string | null;
  readonly time: number;
  /** Duration of the session in milliseconds; undefined for a visit. */
  readonly lasted?: number;
}

/** Answers like a server: both ends of the time range are inclusive, and sessions that overlap it count. */
function reader(records: readonly Seen[], onQuery: (limit: number) => void = () => undefined): UsageReader {
  const chosen = (
    query: { content_guid?: string; from: string; to: string; limit: number },
    sessions: boolean,
  ) => {
    onQuery(query.limit);
    const [from, to] = [Date.parse(query.from), Date.parse(query.to)];
    const guids = query.content_guid?.split('|');
    return records.filter(
      ({ content, time, lasted }) =>
        (lasted !== undefined) === sessions &&
        (guids?.includes(content) ?? true) &&
        time <= to &&
        time + (lasted ?? 0) >= from,
    );
  };
  return {
    each: {
      async *getContentVisits(query) {
        for (const { content, user, time } of chosen(query, false)) {
          yield {
            content_guid: content,
            user_guid: user as string,
            time: new Date(time).toISOString(),
            variant_key: null,
            rendering_id: null,
            bundle_id: 1,
            data_version: 1,
          };
        }
      },
      async *getShinyAppUsage(query) {
        for (const { content, user, time, lasted } of chosen(query, true)) {
          yield {
            content_guid: content,
            user_guid: user as string,
            started: new Date(time).toISOString(),
            ended: new Date(time + lasted!).toISOString(),
            data_version: 1,
          };
        }
      },
    },
  };
}

describe('summarizeUsage', () => {
  test('computes totals, users, time and trend from the period and the one before', async () => {
    const records = [
      { content: 'a', user: 'u1', time: FROM },
      { content: 'a', user: 'u1', time: FROM + DAY },
      { content: 'b', user: 'u2', time: TO - 1, lasted: 1000 },
      { content: 'a', user: NOBODY, time: FROM + 5 },
      { content: 'a', user: 'u9', time: FROM - 1 },
      { content: 'a', user: 'u9', time: FROM - 1, lasted: 10_000 },
      { content: 'a', user: 'u9', time: TO },
    ];
    const summary = await summarizeUsage({ client: reader(records), from: FROM, to: TO });
    expect(summary).toMatchObject({
      visits: 3,
      sessions: 1,
      total: 4,
      unique_users: 2,
      anonymous: 1,
      session_time: 1000,
      previous: 2,
      trend: 1,
      contents: [
        { guid: 'a', count: 3 },
        { guid: 'b', count: 1 },
      ],
    });
    expect(summary.series).toHaveLength(14);
    expect(summary.series[0]).toEqual({ key: '2026-02-16', visits: 2, sessions: 0 });
    expect(summary.series.at(-1)).toEqual({ key: '2026-03-01', visits: 0, sessions: 1 });
  });

  test.each([
    ['the nil GUID', NOBODY],
    ['null, as others', null],
  ])('counts visitors without an account apart from users for servers that have %s', async (_what, user) => {
    const records = [
      { content: 'a', user, time: FROM },
      { content: 'a', user, time: FROM, lasted: 10 },
      { content: 'a', user: 'u1', time: FROM },
    ];
    const summary = await summarizeUsage({ client: reader(records), from: FROM, to: TO, by: 'user' });
    expect(summary).toMatchObject({ total: 3, unique_users: 1, anonymous: 2 });
    expect(summary.series.map(({ key }) => key)).toEqual([NOBODY, 'u1']);
  });

  test.each([
    new RefusedError({ ...CALL, status: 404, code: 2, message: '', payload: null }),
    new InvalidResponseError({ ...CALL, status: 404, kind: 'html', message: '' }),
  ])('reads all records when the server has no summary: $name', async (failure) => {
    const getUsageSummary = () => Promise.reject(failure);
    const client = { ...reader([{ content: 'a', user: 'u', time: FROM }]), getUsageSummary };
    expect(await summarizeUsage({ client, from: FROM, to: TO })).toMatchObject({ visits: 1 });
  });

  test('returns no trend without earlier usage', async () => {
    const client = reader([{ content: 'a', user: 'u', time: FROM }]);
    expect((await summarizeUsage({ client, from: FROM, to: TO })).trend).toBeNull();
  });

  test('starts weeks on Monday and sorts the busiest user first', async () => {
    const records = ['u1', 'u2', 'u2'].map((user, i) => ({
      content: 'a',
      user,
      time: FROM + i * 7 * DAY - i,
    }));
    const client = reader(records);
    const weeks = await summarizeUsage({ client, from: FROM, to: TO, by: 'week' });
    expect(weeks.series.map(({ key, visits }) => [key, visits])).toEqual([
      ['2026-02-16', 2],
      ['2026-02-23', 1],
    ]);
    const users = await summarizeUsage({ client, from: FROM, to: TO, by: 'user' });
    expect(users.series.map(({ key }) => key)).toEqual(['u2', 'u1']);
  });

  test('counts every record once with any number of slices', async () => {
    const record = fc.record({
      content: fc.constantFrom('a', 'b'),
      user: fc.constantFrom('u1', 'u2', NOBODY),
      time: fc.integer({ min: FROM - 15 * DAY, max: TO + DAY }),
      lasted: fc.option(fc.integer({ min: 0, max: 3 * DAY }), { nil: undefined as unknown as number }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(record), fc.integer({ min: 2, max: 9 }), async (records, parallel) => {
        const client = reader(records);
        const one = await summarizeUsage({ client, from: FROM, to: TO, parallel: 1 });
        expect(await summarizeUsage({ client, from: FROM, to: TO, parallel })).toEqual(one);
      }),
    );
  });

  test('splits many content items into requests with short URLs', async () => {
    let queries = 0;
    const contents = Array.from({ length: 90 }, (_, i) => `c${i}`);
    const client = reader(
      contents.map((content) => ({ content, user: 'u', time: FROM })),
      () => (queries += 1),
    );
    const summary = await summarizeUsage({ client, contents, from: FROM, to: TO, parallel: 1 });
    expect(summary.total).toBe(90);
    expect(queries).toBe(6);
  });

  test('throws the failure of a slice or the reason of the signal', async () => {
    const failing = { each: { ...reader([]).each, getShinyAppUsage: () => throwing(new Error('no')) } };
    await expect(summarizeUsage({ client: failing, from: FROM, to: TO })).rejects.toThrow('no');
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(summarizeUsage({ client: reader([]), from: FROM, to: TO, signal })).rejects.toThrow(
      'enough',
    );
  });

  test('ends its progress at 1', async () => {
    const shares: number[] = [];
    await summarizeUsage({
      client: reader([]),
      from: FROM,
      to: TO,
      onProgress: ({ share }) => shares.push(share),
    });
    expect(shares.at(-1)).toBe(1);
  });
});

// oxlint-disable-next-line require-yield
async function* throwing(error: Error): AsyncGenerator<never> {
  throw error;
}
