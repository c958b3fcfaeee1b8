// Covers hostile notebooks, which the server itself reads before rendering.
import { expect, test } from 'vitest';
import { notebookParameters } from './notebook.ts';

const notebook = (source: string) =>
  JSON.stringify({ cells: [{ cell_type: 'code', metadata: { tags: ['parameters'] }, source }] });

test('reads assignments with a type, a comment or a list as parameters', () => {
  const read = notebookParameters(notebook('a = 1  # type: int how many\nb : str = "x"\nc=[1, 2]\nd == 1\n'));
  expect(read.map(({ name, value }) => [name, value])).toEqual([
    ['a', 1],
    ['b', 'x'],
    ['c', [1, 2]],
  ]);
});

test('reads past long runs of spaces and deeply nested lists without delay', () => {
  // With backtracking at each space, the first line alone would take minutes.
  const lines = [
    `x${' '.repeat(500_000)}!`,
    `y:${' '.repeat(9000)}!`,
    `z = ${'['.repeat(4000)}${']'.repeat(4000)}`,
  ];
  const read = notebookParameters(notebook(`${lines.join('\n')}\nlast = 1\n`));
  expect(read.map(({ name }) => name)).toEqual(['z', 'last']);
});
