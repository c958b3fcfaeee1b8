import fc from 'fast-check';
import { test } from 'vitest';
import { expectFits, nasty } from '../../blocks/generated.ts';
import { COMMANDS } from '../table.ts';
import { helpFor, helpList, problemMessage } from './blocks.ts';

test('the list of commands fits, and mentions nobody', () => {
  expectFits(fc.constant(helpList('/pressroom', COMMANDS)));
});

test('the help of each command fits, and mentions nobody', () => {
  const commands = fc.constantFrom(...Object.values(COMMANDS));
  expectFits(commands.map(({ syntax }) => helpFor('/pressroom', syntax)));
});

test('a problem fits, and mentions nobody', () => {
  const problem = fc.record({
    problem: nasty,
    command: fc.constantFrom(null, ...Object.keys(COMMANDS)),
    suggestions: fc.array(nasty),
  });
  expectFits(problem.map((found) => problemMessage('/pressroom', found)));
});
