import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from '@pressroom/api/contract';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readParameters } from './read-parameters.ts';

let source: string;
beforeEach(async () => {
  source = await mkdtemp(join(tmpdir(), 'pressroom-parameters-'));
});
afterEach(() => rm(source, { recursive: true }));

async function read(cells: string) {
  await writeFile(join(source, 'book.ipynb'), `{"cells":[${cells}]}`);
  return readParameters(source, { primary_rmd: 'book.ipynb' } as Manifest);
}

const RAW = JSON.stringify({ cell_type: 'raw', source: '---\nparams:\n  n: {value: 1, label: Count}\n---' });
const PARAMETERS = JSON.stringify({
  cell_type: 'code',
  metadata: { tags: ['parameters'] },
  source: ['n = 5\n', 'text = "x"'],
});
const PICTURE = JSON.stringify({ cell_type: 'code', source: 'plot()', outputs: ['x'.repeat(200_000)] });
const DECLARED = [
  { name: 'n', value: 5, label: 'Count' },
  { name: 'text', value: 'x' },
];

test('a notebook with outputs declares the same parameters as one without', async () => {
  expect(await read(`${RAW},${PARAMETERS}`)).toMatchObject(DECLARED);
  expect(await read(`${RAW},${PICTURE},${PARAMETERS},${PICTURE}`)).toMatchObject(DECLARED);
  expect(await read(`null,${PICTURE}`)).toEqual([]);
});

test('reading a large notebook does not block the event loop', async () => {
  let turns = 0;
  const others = setInterval(() => (turns += 1), 5);
  expect(await read(`${PARAMETERS}${',{}'.repeat(2_000_000)}`)).toHaveLength(2);
  expect(turns).toBeGreaterThan(20);
  expect(await read(`${'['.repeat(3_000_000)}${']'.repeat(3_000_000)}`)).toEqual([]);
  clearInterval(others);
});
