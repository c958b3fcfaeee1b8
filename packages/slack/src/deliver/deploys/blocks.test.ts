import { diagnosis, misfit, lines, nasty, url } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { foldTraceback, liveMessage, resultMessage, starterMessage } from './blocks.ts';

const LANGUAGES = Object.values(TEXTS);

const live = fc.record({
  id: fc.uuid(),
  content: fc.uuid(),
  title: nasty,
  url: fc.option(url),
  bundle: fc.option(nasty),
  previous: fc.option(nasty),
  task: fc.option(nasty),
  who: nasty,
  via: nasty,
  state: fc.constantFrom(
    ...(['running', 'succeeded', 'failed', 'cancelled', 'interrupted', 'unknown'] as const),
  ),
  phase: fc.nat(4),
  elapsed: fc.double({ min: 0, max: 1e9, noNaN: true }),
  lines,
  lineCount: fc.nat(1e6),
  error: nasty,
  trouble: nasty,
  diagnosis,
  starter: fc.constantFrom(null, 'not a Slack user'),
  plans: fc.boolean(),
  commit: fc.option(
    fc.record({ sha: nasty, subject: nasty, author: nasty, branch: nasty, repository: nasty }),
  ),
  auditUrl: fc.constantFrom(null, 'https://content.example.com/__api__/v1/audit_logs'),
});

test.each(LANGUAGES)('$code: a live deploy fits Slack’s limits and mentions nobody', (texts) => {
  expect(misfit(live.map((deploy) => liveMessage(deploy, texts)))).toBeNull();
});

test.each(LANGUAGES)('$code: the result of a deploy fits Slack’s limits and mentions nobody', (texts) => {
  expect(misfit(live.map((deploy) => resultMessage(deploy, texts)))).toBeNull();
});

test.each(LANGUAGES)(
  '$code: the notice of a failed deploy fits Slack’s limits and mentions nobody',
  (texts) => {
    expect(misfit(live.map((deploy) => starterMessage(deploy, texts)))).toBeNull();
  },
);

const line = "ModuleNotFoundError: No module named 'pandas'";
const failed = {
  id: 'n',
  content: 'g',
  title: 'Prices',
  url: null,
  bundle: '7',
  previous: null,
  task: 't',
  who: 'Ada',
  via: 'on the server',
  starter: null,
  state: 'failed' as const,
  phase: 2,
  elapsed: 1,
  lines: [line],
  lineCount: 1,
  trouble: '',
  commit: null,
  auditUrl: null,
  plans: false,
  diagnosis: { line, index: 0, kind: 'missing-package' as const },
};

test('tells the cause once, also where the server’s error has words before it', () => {
  const texts = (error: string) => JSON.stringify(resultMessage({ ...failed, error }, TEXTS.en).blocks);
  expect(texts(`the content does not start: ${line}`).split('No module')).toHaveLength(2);
  expect(texts('the disk is full')).toMatch(/the disk is full[^]*No module/);
});

test.each([
  ['failed', null, ['notice:logs', 'notice:redeploy']],
  ['interrupted', null, ['notice:logs', 'notice:redeploy']],
  // Its content is deleted.
  ['cancelled', null, []],
  ['cancelled', '6', ['open', 'notice:logs', 'run:changes', 'notice:redeploy']],
  ['running', null, ['open', 'notice:logs']],
] as const)(
  'a deploy that is %s after bundle %s leads nowhere that is not there',
  (state, previous, wanted) => {
    const deploy = { ...failed, state, previous, url: 'https://s.example/content/g/', error: '' };
    const { blocks } = liveMessage(deploy, TEXTS.en);
    const buttons = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []));
    expect(buttons.map((button) => button.action_id)).toEqual(wanted);
    const isLinked = (wanted as readonly string[]).includes('open');
    for (const shown of [blocks, resultMessage(deploy, TEXTS.en).blocks])
      expect(JSON.stringify(shown).includes(deploy.url)).toBe(isLinked);
  },
);

test('folds a traceback to its first line and the exception', () => {
  const lines = [
    'start',
    'Traceback (most recent call last):',
    '  File "a.py"',
    '    import x',
    'KeyError: 1',
    'end',
  ];
  expect(foldTraceback(lines, TEXTS.en)).toEqual([
    'start',
    'Traceback (most recent call last):',
    '  … 2 lines hidden',
    'KeyError: 1',
    'end',
  ]);
});
