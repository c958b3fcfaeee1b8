// Against answers in the shape of today's servers of others: publish, again, variables, roll back.
import { readRecords } from '@pressroom/api/publish';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createExtensionBench } from '../testing/bench.ts';
import { KEY, startContentServer, type ContentServer } from '../testing/content-server.ts';
import { said } from '../testing/fake-vscode.ts';

let server: ContentServer;
let bench: Awaited<ReturnType<typeof createExtensionBench>>;
beforeEach(async () => {
  server = await startContentServer();
  bench = await createExtensionBench(server.url, KEY);
});
afterEach(async () => {
  said.reset();
  await bench[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

test('publish, again, variables, roll back, with few requests', async () => {
  const { publisher, history, dir } = bench;
  expect(await publisher.publish(dir, { again: { server: server.url, title: 'The page' } })).toMatchObject({
    type: 'done',
  });
  server.calls.length = 0;
  expect(await publisher.publish(dir)).toMatchObject({ type: 'done' });
  const asked = server.calls.filter((call) => !call.includes('/tasks/'));
  expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(12);
  const [record] = await readRecords(dir);
  const content = server.contents.get(record!.guid)!;
  expect(content.bundles).toHaveLength(2);
  await history.setVariables(record!, [{ name: 'TOKEN', value: 'x' }]);
  expect(await history.variables(record!)).toEqual(['TOKEN']);
  const [newest, oldest] = await history.bundles(record!);
  expect(newest).toMatchObject({ active: true });
  const target = { server: server.url, guid: record!.guid, bundle_id: oldest!.id };
  expect(await publisher.rollback(dir, target)).toMatchObject({ type: 'done' });
  expect(content.active).toBe(oldest!.id);
});
