import { expect, it } from 'vitest';
import { InvalidResponseError, RefusedError } from '../client/failures.ts';
import { describeUse, recentUse } from './recent-use.ts';
import type { UsageReader } from './summarize-usage.ts';

const hour = 3_600_000;
const at = (hours: number) => new Date(Date.now() - hours * hour).toISOString();

it.each([
  [0, 0, 'Nobody used it in the last 30 days.'],
  [0, 1, 'It had 1 visit or session in the last 30 days.'],
  [1, 3, '1 person used it in the last 30 days: 3 visits and sessions.'],
  [12, 45, '12 people used it in the last 30 days: 45 visits and sessions.'],
])('describes %i people and %i visits', (people, total, said) => {
  expect(describeUse({ people, total })).toBe(said);
});

it('recentUse counts users and all visits of this content only', async () => {
  const asked = new Set<string | undefined>();
  const client: UsageReader = {
    each: {
      async *getContentVisits({ content_guid, from, to }) {
        asked.add(content_guid);
        for (const [user_guid, time] of [
          ['u1', at(1)],
          ['u1', at(2)],
          ['00000000-0000-0000-0000-000000000000', at(3)],
          ['u2', at(24 * 40)],
        ] as const)
          if (time >= from && time < to) yield { content_guid: 'g', user_guid, time } as never;
      },
      async *getShinyAppUsage() {},
    },
  };
  expect(await recentUse(client, 'g')).toEqual({ people: 1, total: 3 });
  expect([...asked]).toEqual(['g']);
});

const CALL = { operation: 'getContentVisits', server: 'https://connect.example' };

it.each([
  ['denies access', new RefusedError({ ...CALL, status: 403, code: 22, message: '', payload: null })],
  ['has a web page there', new InvalidResponseError({ ...CALL, status: 404, kind: 'html', message: '' })],
])('recentUse returns null when the server %s', async (_what, refused) => {
  const client: UsageReader = {
    each: {
      getContentVisits() {
        throw refused;
      },
      async *getShinyAppUsage() {},
    },
  };
  expect(await recentUse(client, 'g')).toBeNull();
});
