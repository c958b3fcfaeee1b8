import { misfit, nasty } from '@pressroom/testkit/slack';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import { COMMANDS } from '../table.ts';
import { helpFor, helpList, problemMessage } from './blocks.ts';

const LANGUAGES = Object.values(TEXTS);

test.each(LANGUAGES)('$code: the list of commands fits Slack’s limits and mentions nobody', (texts) => {
  expect(misfit(fc.constant(helpList('/pressroom', COMMANDS, texts)))).toBeNull();
});

test.each(LANGUAGES)('$code: the help of each command fits Slack’s limits and mentions nobody', (texts) => {
  const commands = fc.constantFrom(...Object.values(COMMANDS));
  expect(misfit(commands.map((command) => helpFor('/pressroom', command, texts)))).toBeNull();
});

test.each(LANGUAGES)('$code: a problem fits Slack’s limits and mentions nobody', (texts) => {
  const problem = fc.record({
    problem: nasty,
    command: fc.constantFrom(null, ...Object.keys(COMMANDS)),
    suggestions: fc.array(nasty),
  });
  expect(misfit(problem.map((found) => problemMessage('/pressroom', found, texts)))).toBeNull();
});

test('a problem offers nothing that is too long for a button', () => {
  const found = { problem: 'Unknown', command: null, suggestions: [`status ${'x'.repeat(2000)}`] };
  expect(JSON.stringify(problemMessage('/pressroom', found, TEXTS.en))).not.toContain('Did you mean');
});
