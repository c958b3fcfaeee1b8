// Covers the comparison of a directory with a bundle: what opens, and that moved numbers come first.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { MovedNumbers } from '@pressroom/api/contract';
import { afterEach, expect, test, vi } from 'vitest';
import type { Uri as EditorUri } from 'vscode';
import type { History } from '../store/history.ts';
import { createMemory } from '../store/memory.ts';
import { commands, Uri } from '../testing/fake-vscode.ts';
import { createNumberDocuments, showDifferences } from './bundle-documents.ts';

const MOVED: MovedNumbers = {
  before: { bundle_id: '3' },
  after: { bundle_id: '4' },
  moved: [
    {
      table: 'Sales',
      row: 'North',
      column: '2026',
      before: '1,200',
      after: '900',
      difference: -300,
      percent: -25,
    },
    { table: 'Sales', row: 'West', column: '2026', before: '0', after: '7', difference: 7, percent: null },
  ],
  more: 5,
};
afterEach(() => vi.restoreAllMocks());

/** Returns the documents that open, as the editor reads them. */
async function opened(
  numbers: () => Promise<MovedNumbers | null>,
  files: Record<string, string> = { 'index.html': '<p>' },
) {
  const dir = mkdtempSync(path.join(tmpdir(), 'compared-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(dir, name), text);
  const history = { files: async () => new Map(), numbers } as unknown as History;
  const directories = { excludeOf: () => [], update: async () => undefined, uriOf: Uri.file } as never;
  const run = vi.spyOn(commands, 'executeCommand');
  const address = { server: 'https://example.com', guid: 'g', bundleId: '4' };
  await showDifferences(history, directories, createMemory(undefined), dir, address);
  rmSync(dir, { recursive: true });
  const [, , resources] = run.mock.calls[0] as unknown as [string, string, EditorUri[][]];
  const { provideTextDocumentContent: read } = createNumberDocuments();
  return resources.map((all) =>
    all.map((uri) => (uri?.scheme === 'pressroom-numbers' ? read(uri, {} as never) : uri?.scheme)),
  );
}

test('opens changed numbers first, as two documents that differ in them', async () => {
  const [numbers, ...files] = await opened(async () => MOVED);
  expect(numbers?.slice(1)).toEqual([
    'Sales, North, 2026: 1,200\nSales, West, 2026: 0\n5 more\n',
    'Sales, North, 2026: 900 (-25 %)\nSales, West, 2026: 7\n5 more\n',
  ]);
  expect(files).toEqual([['file', undefined, 'file']]);
});

test.each<[string, () => Promise<MovedNumbers | null>]>([
  ['if no number moved', async () => ({ ...MOVED, moved: [], more: 0 })],
  ['if the server does not report numbers', async () => null],
  ['if the request fails', () => Promise.reject(new Error('gone'))],
])('compares only the files %s', async (_, numbers) => {
  expect(await opened(numbers)).toEqual([['file', undefined, 'file']]);
});

test('a comparison has only the files that an own manifest.json lists, which a publish sends', async () => {
  const manifest = {
    version: 1,
    metadata: { appmode: 'static', primary_html: 'index.html' },
    files: { 'index.html': { checksum: '' } },
  };
  const files = { 'index.html': '<p>', 'added-later.csv': '1', 'manifest.json': JSON.stringify(manifest) };
  expect(await opened(async () => null, files)).toEqual([['file', undefined, 'file']]);
});
