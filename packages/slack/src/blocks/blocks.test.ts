// Every message, modal and home that a view can make, of generated extremes, is within Slack's limits and pings nobody.
import type { Bundle, ContentItem, UsageSummary, User } from '@pressroom/api';
import { pings, violations } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COMMAND_NAMES } from '../commands/table.ts';
import { deploysMessage, overviewMessage, statusMessage, whoMessage } from '../commands/status/blocks.ts';
import {
  foldTraceback,
  liveMessage,
  logsMessage,
  resultMessage,
  rollbackMessage,
  rollbackModal,
} from '../deliver/blocks.ts';
import { fit } from './fit.ts';
import { helpFor, helpList, problemMessage } from '../commands/help/blocks.ts';
import { homeView, unfurlBlocks } from '../home/blocks.ts';
import {
  auditMessage,
  digestMessage,
  dryRunMessage,
  subscriptionsMessage,
} from '../commands/subscribe/blocks.ts';
import { failureMessage, note, notFoundMessage, pickerMessage } from './notes.ts';
import {
  browserLinkMessage,
  linkModal,
  linkNeeded,
  peopleMessage,
  personMessage,
} from '../commands/user/blocks.ts';
import { clean, codeBlock, cutEscaped, escape, inline, line, link } from './text.ts';
import { progressMessage, usageMessage } from '../commands/usage/blocks.ts';

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
const nasty = fc
  .tuple(fc.array(piece, { maxLength: 6 }), fc.constantFrom(1, 1, 40, 400))
  .map(([pieces, times]) => pieces.join(' ').repeat(times).slice(0, 5000));
const guid = fc.uuid();
const time = fc.constantFrom('2026-01-31T10:00:00Z', '1970-01-01T00:00:00Z', 'no time');
const url = fc.oneof(
  fc.constant('https://content.example.com/content/1/'),
  nasty.map((text) => `https://h/${text}`),
  fc.constant('javascript:alert(1)'),
);
const many = <T>(item: fc.Arbitrary<T>, most = 500) =>
  fc
    .tuple(fc.array(item, { maxLength: 3 }), fc.constantFrom(1, 2, 40, most))
    .map(([items, times]) =>
      items.length === 0 ? [] : Array.from({ length: times }, (_, i) => items[i % items.length]!),
    );

const content = fc.record({
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
const user = fc.record({
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
const bundle = fc.record({ id: nasty, created_time: nasty }) as unknown as fc.Arbitrary<Bundle>;
const lines = many(nasty, 10_000);
const diagnosis = fc.option(
  fc.record({
    kind: fc.constant('other' as const),
    line: nasty,
    index: fc.nat(),
    hint: nasty,
  }),
);
const live = fc.record({
  id: fc.uuid(),
  title: nasty,
  url: fc.option(url),
  bundle: fc.option(nasty),
  task: fc.option(nasty),
  who: nasty,
  via: nasty,
  state: fc.constantFrom('running' as const, 'succeeded' as const, 'failed' as const, 'unknown' as const),
  phase: fc.nat(4),
  elapsed: fc.double({ min: 0, max: 1e9, noNaN: true }),
  lines,
  lineCount: fc.nat(1e6),
  error: nasty,
  trouble: nasty,
  diagnosis,
  auditUrl: fc.constantFrom(null, 'https://content.example.com/__api__/v1/audit_logs'),
});
const number = fc.nat(1e9);
const summary = fc.record({
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
const share = nasty;

/** Everything a view can make, with what it is shown on. */
const MESSAGES: Record<string, fc.Arbitrary<unknown>> = {
  'help list': fc.constant(helpList('/pressroom')),
  'help for a command': fc.constantFrom(...COMMAND_NAMES).map((name) => helpFor('/pressroom', name)),
  problem: fc
    .record({
      problem: nasty,
      command: fc.constantFrom(null, ...COMMAND_NAMES),
      suggestions: fc.array(nasty),
    })
    .map((problem) => problemMessage('/pressroom', problem)),
  note: nasty.map((text) => note(inline(text, 5000))),
  failure: nasty.map((text) => failureMessage(new Error(text), text)),
  picker: fc
    .tuple(
      nasty,
      many(content).filter((items) => items.length > 0),
    )
    .map(([words, items]) => pickerMessage(words, items, 'p1')),
  'not found': fc
    .tuple(nasty, fc.array(fc.record({ name: nasty, line: nasty }), { maxLength: 3 }))
    .map(([words, near]) => notFoundMessage(words, near)),
  status: fc
    .tuple(
      fc.record({
        content,
        owner: fc.option(nasty),
        bundles: many(bundle),
        mayDeploy: fc.boolean(),
      }),
      share,
    )
    .map(([status, text]) => statusMessage(status, text)),
  overview: fc
    .tuple(
      fc.record({ server: url, version: fc.option(nasty), who: fc.option(nasty), mine: many(content) }),
      share,
    )
    .map(([view, text]) => overviewMessage(view, text)),
  deploys: fc
    .tuple(nasty, many(fc.record({ time, who: nasty, what: nasty, active: fc.option(fc.boolean()) })), share)
    .map(([about, entries, text]) => deploysMessage(about, '7d', entries, text)),
  who: fc
    .tuple(
      fc.record({
        content,
        owner: fc.option(nasty),
        people: many(fc.record({ name: nasty, role: nasty })),
        complete: fc.boolean(),
      }),
      share,
    )
    .map(([access, text]) => whoMessage(access, text)),
  'live deploy': live.map(liveMessage),
  'result of a deploy': live.map(resultMessage),
  'rollback question': fc
    .record({
      key: fc.uuid(),
      title: nasty,
      from: fc.option(nasty),
      to: fc.record({ id: nasty, created_time: nasty }),
    })
    .map(rollbackMessage),
  logs: fc
    .tuple(
      fc.record({ title: nasty, task: nasty, finished: fc.boolean(), code: fc.nat(2), lines, diagnosis }),
      share,
    )
    .map(([log, text]) => logsMessage(log, text)),
  usage: fc
    .tuple(
      fc.record({
        about: nasty,
        last: nasty,
        summary,
        names: nasty.map((name) => new Map([['x', name]])),
        picture: fc.option(fc.constant('F123')),
        native: fc.boolean(),
      }),
      share,
    )
    .map(([view, text]) => usageMessage(view, text)),
  progress: nasty.map((about) => progressMessage(about, 0.5, 1000)),
  person: fc
    .tuple(
      fc.record({
        user,
        groups: fc.option(many(fc.record({ guid, name: nasty, owner_guid: fc.constant(null) }))),
        owned: many(content),
        mayLock: fc.boolean(),
      }),
      share,
    )
    .map(([person, text]) => personMessage(person, text)),
  people: fc.tuple(nasty, many(user)).map(([words, users]) => peopleMessage(words, users)),
  'link needed': fc.uuid().map((pending) => linkNeeded(pending)),
  'link in the browser': fc.record({ server: fc.webUrl(), user_code: nasty }).map(({ server, user_code }) =>
    browserLinkMessage(server, {
      user_code,
      verification_uri: server,
      verification_uri_complete: server,
      expires_in: 600,
      interval: 5,
    }),
  ),
  subscriptions: many(
    fc.record({ guid, title: nasty, filters: fc.array(nasty), quiet: fc.option(nasty), by: nasty }),
  ).map(subscriptionsMessage),
  'dry run': fc
    .tuple(nasty, many(fc.record({ time, text: nasty, held: fc.option(nasty) })))
    .map(([title, entries]) => dryRunMessage(title, ['failures'], entries)),
  digest: many(fc.record({ title: nasty, url: fc.option(url), summary }), 100).map(digestMessage),
  audit: fc
    .tuple(
      nasty,
      many(
        fc.record({
          id: nasty,
          time,
          user_id: nasty,
          user_description: nasty,
          action: nasty,
          event_description: nasty,
        }),
      ),
    )
    .map(([user, entries]) => auditMessage('7d', user, entries, 'audit')),
  unfurl: content.map((item) => fit({ text: '–', blocks: unfurlBlocks(item, 'Ada') })),
};

describe('within limits, and pinging nobody:', () => {
  test.each(Object.entries(MESSAGES))('%s', (_name, messages) => {
    fc.assert(
      fc.property(messages, (message) => {
        expect(violations(message as object)).toEqual([]);
        expect(pings(message)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test('modals', () => {
    fc.assert(
      fc.property(nasty, url, (text, server) => {
        const question = { key: 'k', title: text, from: text, to: { id: text, created_time: text } };
        for (const modal of [linkModal(server, text), rollbackModal(question, text)]) {
          expect(violations(modal as object, 'modal')).toEqual([]);
          expect(pings(modal)).toEqual([]);
        }
      }),
    );
  });

  test('the home tab', () => {
    const data = fc.record({
      server: url,
      who: fc.option(nasty),
      content: many(content),
      running: many(fc.record({ title: nasty, elapsed: number, url: fc.option(url) })),
      subscriptions: many(fc.record({ title: nasty, channel: nasty, filters: fc.array(nasty) })),
      problem: fc.option(nasty),
    });
    fc.assert(
      fc.property(data, (view) => {
        const home = homeView(view);
        expect(violations(home as object, 'home')).toEqual([]);
        expect(pings(home)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test('the buttons at the end stay, whatever does not fit', () => {
    const message = fit({
      text: 'x',
      blocks: [
        ...Array.from({ length: 200 }, () => ({
          type: 'section' as const,
          text: { type: 'mrkdwn' as const, text: 'x'.repeat(2000) },
        })),
        {
          type: 'actions',
          elements: [{ type: 'button', action_id: 'a', text: { type: 'plain_text', text: 'Go' } }],
        },
      ],
    });
    expect(message.blocks.at(-1)?.type).toBe('actions');
    expect(JSON.stringify(message)).toContain('and 196 more');
  });
});

describe('text', () => {
  test('cutting never splits a character, an entity, a link or a code block', () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 10, max: 300 }), (text, most) => {
        const cut = cutEscaped(`${escape(text)} ${link('https://h/', text)} ${codeBlock([text], 200)}`, most);
        expect(cut.length).toBeLessThanOrEqual(most);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut).not.toMatch(/&(?!amp;|lt;|gt;)/);
        expect(cut.split('<').length).toBe(cut.split('>').length);
        expect(cut.split('```').length % 2).toBe(1);
      }),
    );
  });

  test('a cut just behind a fence leaves no fence alone', () => {
    const text = `12345 ${codeBlock(['code'], 200)} after`;
    const closes = [...text.matchAll(/```/g)].map(({ index }) => index + 3);
    for (const at of closes) expect(cutEscaped(text, at + 5).split('```').length % 2, `cut at ${at}`).toBe(1);
  });

  test('a cut brings no ping about', () => {
    expect(pings({ text: line('@everyonegnirts', '@everyone'.length + 1) })).toEqual([]);
  });

  test('a link only leads to the web', () => {
    expect(link('javascript:alert(1)', 'x')).toBe('x');
    expect(link('https://h/a|b>c', 'x|y')).toBe('<https://h/a%7Cb%3Ec|x¦y>');
  });

  test('a code block shows the last lines that fit, without colours', () => {
    const block = codeBlock(
      ['first', ...Array.from({ length: 100 }, () => 'x'.repeat(100)), '\u001B[31mlast'],
      500,
    );
    expect(block).toContain('last');
    expect(block).not.toContain('first');
    expect(block).not.toContain('[31m');
    expect(clean('a\u202Eb@here')).toBe('ab@\u2060here');
  });
});

test('a traceback is folded to its first line and what was raised', () => {
  const lines = [
    'start',
    'Traceback (most recent call last):',
    '  File "a.py"',
    '    import x',
    'KeyError: 1',
    'end',
  ];
  expect(foldTraceback(lines)).toEqual([
    'start',
    'Traceback (most recent call last):',
    '  … 2 lines folded',
    'KeyError: 1',
    'end',
  ]);
});
