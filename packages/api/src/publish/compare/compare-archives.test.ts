// Covers the comparison of two archives: files added, removed and changed, and their lines.
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar';
import { expect, test } from 'vitest';
import { compareArchives } from './compare-archives.ts';

type Files = Readonly<Record<string, string | Buffer>>;

function archive(files: Files): Readable {
  const blocks = Object.entries(files).flatMap(([path, content]) => {
    const body = Buffer.from(content);
    const header = Buffer.alloc(512);
    new Header({ path, size: body.length, mode: 0o644, type: 'File' }).encode(header);
    return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  return Readable.from([gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]))]).pipe(new PassThrough());
}

const compare = (before: Files, after: Files) =>
  compareArchives((which) => Promise.resolve(archive(which === 'before' ? before : after)));

test('lists added, removed and changed files by path and counts unchanged ones', async () => {
  const { files, same, more } = await compare(
    { 'same.txt': 'x', 'gone.txt': 'a\nb\n', 'app.R': 'one\ntwo\nthree\n', 'manifest.json': '{}' },
    { 'same.txt': 'x', 'app.R': 'one\n2\nthree\n', 'new.txt': 'n', 'manifest.json': '{"a":1}' },
  );
  expect([same, more]).toEqual([1, 0]);
  expect(files).toEqual([
    {
      path: 'app.R',
      change: 'changed',
      before: 14,
      after: 12,
      lines: [
        { kind: 'same', text: 'one' },
        { kind: 'removed', text: 'two' },
        { kind: 'added', text: '2' },
        { kind: 'same', text: 'three' },
      ],
      counts: { added: 1, removed: 1 },
    },
    expect.objectContaining({
      path: 'gone.txt',
      change: 'removed',
      after: null,
      lines: ['a', 'b'].map((text) => ({ kind: 'removed', text })),
    }),
    expect.objectContaining({ path: 'new.txt', change: 'added', before: null, after: 1 }),
  ]);
});

test('skips equal lines of long files, and shows no lines of images and very long files', async () => {
  const numbers = Array.from({ length: 100 }, (_, i) => `line ${i}`);
  const { files } = await compare(
    {
      'long.txt': numbers.join('\n'),
      'different.txt': 'x\n'.repeat(1001),
      'a.png': Buffer.from([0, 1]),
      'endless.txt': 'x\n'.repeat(20_001),
    },
    {
      'long.txt': numbers.with(50, 'other').join('\n'),
      'different.txt': 'y\n',
      'a.png': Buffer.from([0, 2]),
      'endless.txt': 'y\n'.repeat(20_001),
    },
  );
  const lines = files.find(({ path }) => path === 'long.txt')!.lines!;
  expect(lines.map(({ kind }) => kind)).toEqual([
    'skipped',
    ...Array.from({ length: 3 }, () => 'same'),
    'removed',
    'added',
    ...Array.from({ length: 3 }, () => 'same'),
    'skipped',
  ]);
  expect(lines[0]!.text).toBe('47 lines are the same');
  expect(files.filter((file) => file.lines === null).map(({ path }) => path)).toEqual([
    'a.png',
    'different.txt',
    'endless.txt',
  ]);
});

test('compares the lines of a few rewritten files only', async () => {
  const numbered = (letter: string) => Array.from({ length: 1000 }, (_, i) => `${letter}${i}`).join('\n');
  const names = Array.from({ length: 8 }, (_, i) => `file-${i}.R`);
  const all = (content: string): Files => Object.fromEntries(names.map((name) => [name, content]));
  const { files } = await compare(
    { ...all(numbered('a')), 'another.R': 'a\nb' },
    { ...all(numbered('b')), 'another.R': 'a\nc', 'new.R': numbered('n') },
  );
  const shown = files.filter(({ lines }) => lines !== null).map(({ path }) => path);
  expect(shown).toEqual(['another.R', ...names.slice(0, 4), 'new.R']);
  expect(files.find(({ path }) => path === 'new.R')!.counts).toEqual({ added: 1000, removed: 0 });
});

test('compares the type, versions and packages of the manifests', async () => {
  const manifest = (entrypoint: string, platform: string, versions: Record<string, string>) =>
    JSON.stringify({
      version: 1,
      metadata: { appmode: 'shiny', entrypoint },
      platform,
      packages: Object.fromEntries(
        Object.entries(versions).map(([name, Version]) => [name, { description: { Version } }]),
      ),
    });
  const { facts, files, same } = await compare(
    { 'app.R': '1', 'manifest.json': manifest('app.R', '4.2.1', { shiny: '1.8.0', gone: '1.0', kept: '2' }) },
    { 'app.R': '1', 'manifest.json': manifest('app.R', '4.4.0', { shiny: '1.9.1', kept: '2', come: '3' }) },
  );
  expect(facts).toEqual([
    { what: 'R', before: '4.2.1', after: '4.4.0' },
    { what: 'R package shiny', before: '1.8.0', after: '1.9.1' },
    { what: 'R package gone', before: '1.0', after: null },
    { what: 'R package come', before: null, after: '3' },
  ]);
  expect([files, same]).toEqual([[], 1]);
  const odd = await compare(
    { 'manifest.json': '{"packages": 7, "metadata": []}' },
    { 'manifest.json': 'no json' },
  );
  expect(odd.facts).toEqual([]);
});

test('rejects a damaged archive', async () => {
  await expect(
    compareArchives(() => Promise.resolve(Readable.from([Buffer.from('no archive')]))),
  ).rejects.toThrow();
});
