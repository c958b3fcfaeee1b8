import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findLinks } from './find-links.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-links-'));
});
afterEach(() => rm(directory, { recursive: true }));

const find = async (text: string, paths: readonly string[]) => {
  await writeFile(join(directory, 'index.html'), text);
  const vanities = paths.map((path_key) => ({ content_guid: path_key, path_key }));
  return [...(await findLinks(directory, vanities, 'https://rsc.example'))].toSorted();
};

test('finds links below content paths on this host only, by the longest path', async () => {
  const text = `<a href="/Sales/q1/page"> <a href='https://RSC.example/sales/'> (https://other.example/hr/) "/salesman/"`;
  expect(await find(text, ['/sales/', '/sales/q1/', '/hr/', '/q1/'])).toEqual(['/sales/', '/sales/q1/']);
});

test('matches 200,000 links against 20,000 paths within 5 seconds of CPU time', async () => {
  const paths = Array.from({ length: 20_000 }, (_, i) => `/path-${i}/`);
  const begun = process.threadCpuUsage();
  expect(await find(`"/path-7/${'"/none/'.repeat(200_000)}`, paths)).toEqual(['/path-7/']);
  expect(process.threadCpuUsage(begun).user / 1000).toBeLessThan(5000);
});

test('leaves out files that cannot be read', async () => {
  // A name that is no text leads nowhere once it was read as text.
  await writeFile(
    Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0xff]), Buffer.from('.html')]),
    '',
  );
  await mkdir(join(directory, 'folder.html'));
  expect(await find('"/sales/"', ['/sales/'])).toEqual(['/sales/']);
});
