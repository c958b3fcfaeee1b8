import fc from 'fast-check';
import { expect, test } from 'vitest';
import { misfit, nasty } from '@pressroom/testkit/slack';
import { COMMANDS } from '../table.ts';
import { helpFor, helpList, problemMessage } from './blocks.ts';

test('the list of commands fits, and mentions nobody', () => {
  expect(misfit(fc.constant(helpList('/pressroom', COMMANDS)))).toBeNull();
});

test('the help of each command fits, and mentions nobody', () => {
  const commands = fc.constantFrom(...Object.values(COMMANDS));
  expect(misfit(commands.map(({ syntax }) => helpFor('/pressroom', syntax)))).toBeNull();
});

test('a problem fits, and mentions nobody', () => {
  const problem = fc.record({
    problem: nasty,
    command: fc.constantFrom(null, ...Object.keys(COMMANDS)),
    suggestions: fc.array(nasty),
  });
  expect(misfit(problem.map((found) => problemMessage('/pressroom', found)))).toBeNull();
});
