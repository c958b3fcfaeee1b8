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

test.each([
  ['in brackets', '#| tags: [hidden, parameters]'],
  ['below', '#| echo: false\n#| tags:\n#|   - hidden\n#|   - parameters'],
  ['alone', "#| tags: 'parameters'"],
])('a Quarto document declares those of its Python cell with the tag %s', async (_where, options) => {
  const front =
    '---\ntitle: Sales\nparams:\n  n: {value: 1, label: Count}\n---\n\n```{python}\nother = 1\n```\n';
  await writeFile(
    join(source, 'sales.qmd'),
    `${front}\n\`\`\`{python}\n${options}\nn = 5\ntext = "x"\n\`\`\`\nlast = 2\n`,
  );
  expect(await readParameters(source, { primary_rmd: 'sales.qmd' } as Manifest)).toMatchObject(DECLARED);
});

test('a Quarto document without such a cell declares those of its front matter', async () => {
  const cell = '```{python}\n#| fig-cap: the parameters\n#| label: parameters\nother = 1\n```\n';
  await writeFile(join(source, 'sales.qmd'), `---\nparams:\n  n: 5\n---\n\n${cell}`);
  expect(await readParameters(source, { primary_rmd: 'sales.qmd' } as Manifest)).toMatchObject([
    { name: 'n', value: 5 },
  ]);
});
