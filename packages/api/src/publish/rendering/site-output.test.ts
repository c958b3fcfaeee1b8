// Covers the output directory that a site's settings name.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { siteOutput } from './site-output.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'pressroom-site-'));
});
afterEach(() => rm(root, { recursive: true }));

async function outputOf(settings: string): Promise<string | null> {
  await writeFile(path.join(root, '_quarto.yml'), settings);
  const pages = ['out', 'made here', 'type:'].map((name) => `${name}/index.html`);
  return siteOutput(root, new Set(['_quarto.yml', ...pages]));
}

test.each([
  ['project:\n  type: website\n  output-dir: out\n', 'out'],
  ['project:\n\toutput_dir: "made here/"\n', 'made here'],
  ['project:\r\n  output-dir: out\r\n', 'out'],
  // A setting without a value names no directory, and not what the next line says.
  ['project:\n  output-dir:\n  type: website\n', null],
])('reads it from %j', async (settings, expected) => {
  expect(await outputOf(settings)).toBe(expected);
});

test('many blank lines take no time quadratic in their number', async () => {
  // That would be twenty minutes.
  expect(await outputOf('\n'.repeat(1_000_000))).toBeNull();
});
