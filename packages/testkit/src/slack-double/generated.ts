// Values of extreme length and content, and the check that a message made of them fits Slack and mentions nobody.
import type { ContentItem } from '@pressroom/api/client';
import type { Bundle, User } from '@pressroom/api/contract';
import type { UsageSummary } from '@pressroom/api/usage';
import fc from 'fast-check';
import { pings, violations } from './limits.ts';

const NASTY = [
  '<!channel>',
  '<!here|here>',
  '<!subteam^S1>',
  '@here @channel @everyone',
  '<@U123ABC>',
  '&lt;!channel&gt;',
  '```',
  '`',
  '|',
  '<https://evil.example|click>',
  '*bold* _it_ ~no~',
  '\u202Egnirts desrever',
  'مرحبا بالعالم',
  '👩‍👩‍👧‍👦',
  '\uD83D',
  '&'.repeat(50),
  '\u001B[31mred\u001B[0m',
  '\n\n\n',
  '',
  ' ',
];
const piece = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
);
export const nasty = fc
  .tuple(fc.array(piece, { maxLength: 6 }), fc.constantFrom(1, 1, 40, 400))
  .map(([pieces, times]) => pieces.join(' ').repeat(times).slice(0, 5000));
const guid = fc.uuid();
export const time = fc.constantFrom('2026-01-31T10:00:00Z', '1970-01-01T00:00:00Z', 'no time');
export const url = fc.oneof(
  fc.constant('https://content.example.com/content/1/'),
  nasty.map((text) => `https://h/${text}`),
  fc.constant('javascript:alert(1)'),
);
export const many = <T>(item: fc.Arbitrary<T>, most = 500) =>
  fc
    .tuple(fc.array(item, { maxLength: 3 }), fc.constantFrom(1, 2, 40, most))
    .map(([items, times]) =>
      items.length === 0 ? [] : Array.from({ length: times }, (_, i) => items[i % items.length]!),
    );

export const content = fc.record({
  guid,
  name: nasty,
  title: fc.option(nasty),
  description: nasty,
  url,
  access_type: fc.constantFrom('all', 'logged_in', 'acl'),
  app_mode: fc.constantFrom('static', 'shiny', 'unknown'),
  bundle_id: fc.option(fc.constantFrom('1', '99999999')),
  r_version: fc.option(nasty),
  py_version: fc.option(nasty),
  last_deployed_time: time,
  role: fc.constantFrom('owner', 'none'),
}) as unknown as fc.Arbitrary<ContentItem>;
export const user = fc.record({
  guid,
  username: nasty,
  first_name: nasty,
  last_name: nasty,
  email: nasty,
  user_role: fc.constant('viewer'),
  locked: fc.boolean(),
  active_time: fc.option(time),
  created_time: time,
}) as unknown as fc.Arbitrary<User>;
export const bundle = fc.record({ id: nasty, created_time: nasty }) as unknown as fc.Arbitrary<Bundle>;
export const lines = many(nasty, 10_000);
export const diagnosis = fc.option(
  fc.record({
    kind: fc.constant('other' as const),
    line: nasty,
    index: fc.nat(),
    hint: nasty,
  }),
);
export const number = fc.nat(1e9);
export const summary = fc.record({
  from: number,
  to: number,
  by: fc.constantFrom('day' as const, 'week' as const, 'user' as const),
  visits: number,
  sessions: number,
  total: number,
  unique_users: number,
  anonymous: number,
  session_time: number,
  previous: number,
  trend: fc.option(fc.double({ min: -1, max: 1e6, noNaN: true })),
  series: many(fc.record({ key: nasty, visits: number, sessions: number })),
  contents: many(fc.record({ guid, count: number })),
}) as fc.Arbitrary<UsageSummary>;

type Surface = Parameters<typeof violations>[1];

/** An example that breaks Slack's limits or mentions somebody, with what is wrong; null when there is none. */
export function misfit(shown: fc.Arbitrary<unknown>, surface?: Surface): string | null {
  const fits = fc.property(shown, (view) => {
    const faults = [...violations(view as object, surface), ...pings(view)];
    if (faults.length > 0) throw new Error(faults.join('; '));
  });
  return fc.defaultReportMessage(fc.check(fits, { numRuns: 60 })) ?? null;
}
