// In a real editor, as one workspace: every example is published in three inputs, and again with one click.
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { startWork, type Work } from './work.ts';

const names = readdirSync(join(import.meta.dirname, '../../examples')) as [string, ...string[]];
let work: Work;
beforeAll(async () => {
  work = await startWork({ extensions: inject('extensions'), examples: names });
});
afterAll(() => work[Symbol.asyncDispose]());
afterEach(async ({ task }) => {
  await work.editor.screenshot(`example-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

test('there are six of them', () => {
  expect(names).toHaveLength(6);
});

test.each(names)('%s', async (name) => {
  const dir = join(dirname(work.folder), name);
  const live = () => work.toast(`${name} is live`);
  await work.firstTime(dir);
  await live();
  await work.clearToasts();
  await work.command('pressroom.publish', dir);
  await live();
  const contents = (await work.person.call('GET', '/v1/content')).body as { guid: string; name: string }[];
  const content = contents.find((item) => item.name === basename(dir))!;
  const bundles = (await work.person.call('GET', `/v1/content/${content.guid}/bundles`)).body;
  expect(bundles).toHaveLength(2);
  expect((await work.person.call('GET', `//content/${content.guid}/`)).status).toBeLessThan(500);
});
