// Covers the report of a deploy: what a server sends cannot become a command in a comment of GitLab.
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from '@pressroom/api/client';
import type { DeployEvent } from '@pressroom/api/publish';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withReport } from './report.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'report-'));
});
afterAll(() => rm(dir, { recursive: true }));

async function reportOf(url: string): Promise<string> {
  const file = path.join(dir, 'report.md');
  const event = { type: 'done', url, draft: undefined, content: {} } as unknown as DeployEvent & {
    type: 'done';
  };
  await withReport(
    file,
    async ({ deployed }) => {
      await deployed({} as Client, event, new AbortController().signal);
      return 0;
    },
    expect.fail,
  );
  return readFile(file, 'utf8');
}

test('begins with the address', async () => {
  const text = await reportOf('https://example.com/content/1/');
  expect(text).toMatch(
    /^\*\*\[https:\/\/example.com\/content\/1\/\]\(https:\/\/example.com\/content\/1\/\)\*\*\n/,
  );
});

test.each([
  'https://example.com/\n/merge\n',
  'https://example.com/\r/merge\r',
  'x\n/merge\n',
  'https://example.com/](x)\n\n/approve',
  'https://example.com/#<!--\n/merge',
])('an address of a server adds no line: %j', async (url) => {
  const text = await reportOf(url);
  const lines = text.split(/[\n\r]/);
  expect(lines.filter((line) => line.startsWith('/'))).toEqual([]);
  expect(lines[0]).not.toMatch(/<!--|\]\(x\)/);
});

test('a report that cannot be written is an error before the deploy', async () => {
  let isRun = false;
  const deploy = async () => {
    isRun = true;
    return 0;
  };
  await expect(withReport(path.join(dir, 'missing', 'report.md'), deploy, expect.fail)).rejects.toThrow(
    /^Cannot write .*report\.md \(ENOENT\)/,
  );
  expect(isRun).toBe(false);
});

test('a report that cannot be written at the end changes neither the exit code nor the error', async () => {
  const file = path.join(dir, 'becomes-a-directory.md');
  const notes: string[] = [];
  const block = async () => {
    await rm(file, { force: true, recursive: true });
    await mkdir(file);
    return 0;
  };
  expect(await withReport(file, block, (line) => notes.push(line))).toBe(0);
  await rm(file, { recursive: true });
  const failing = withReport(
    file,
    async () => block().then(() => Promise.reject(new Error('no room'))),
    (line) => notes.push(line),
  );
  await expect(failing).rejects.toThrow('no room');
  expect(notes).toEqual([`Cannot write ${file} (EISDIR).`, `Cannot write ${file} (EISDIR).`]);
});

test.each([
  [1, 'The deploy failed.'],
  [5, 'The outcome of the deploy is unknown.'],
  [130, 'The deploy was cancelled.'],
])('begins with the outcome of exit code %i', async (code, headline) => {
  const file = path.join(dir, 'outcome.md');
  await withReport(file, async () => code, expect.fail);
  expect(await readFile(file, 'utf8')).toMatch(`**${headline}**\n`);
});
