// What is kept of processes of content, on both engines.
import { publish, PYTHON_API, pythonApi, startTestServer } from '@pressroom/testkit';
import { expect, test } from 'vitest';

test('a server that stops first writes down how its processes ended', async () => {
  await using server = await startTestServer({ settings: { 'Scheduler.IdleTimeout': 600 } });
  const person = await server.person('publisher');
  const { guid, path } = await publish(person, pythonApi('1'), { metadata: PYTHON_API });
  await server.anonymous('GET', path);
  const { db } = server.running.services.storage;
  expect(await db.selectFrom('job').selectAll().where('ended', 'is', null).execute()).toHaveLength(1);
  await server.restart();
  const jobs = (await person.call('GET', `/v1/content/${guid}/jobs`)).body as { outcome: string | null }[];
  expect(jobs.map(({ outcome }) => outcome)).toEqual(['was stopped']);
});
