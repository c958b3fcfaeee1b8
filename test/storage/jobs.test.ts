// Covers records of content processes, on both engines.
import { publish, PYTHON_API, pythonApi, startTestServer } from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { showHeartbeat } from '../../packages/server/src/cluster/heartbeat-store.ts';
import { endJob, endLostJobs, findJob, insertJob, reopenJobs } from '../../packages/server/src/jobs/store.ts';

test('a stopping server first records how its processes ended', async () => {
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

test('a process that ended while its server seemed gone keeps its outcome', async () => {
  await using server = await startTestServer();
  const person = await server.person('publisher');
  const { guid } = await publish(person, { 'index.html': 'a page' });
  const { db } = server.running.services.storage;
  const subject = {
    key: 'k',
    content_guid: guid,
    bundle_id: 1,
    tag: 'run_app',
    node: 'n',
    pid: 1,
    restored: null,
  };
  const open = { started: 1, heartbeat: 1, ended: null, exit_code: null, outcome: null };
  await insertJob(db, { ...subject, ...open });
  await endLostJobs(db, { node: 'n' }, 0);
  const end = { ended: 3, exit_code: 0, outcome: 'was stopped' };
  await endJob(db, 'k', end);
  await reopenJobs(db, 'n', ['k']);
  await endLostJobs(db, { node: 'n' }, 0);
  expect(await findJob(db, guid, 'k')).toMatchObject(end);
});

test('processes are lost with the heartbeat of their server, however far its clock is behind', async () => {
  await using server = await startTestServer();
  const person = await server.person('publisher');
  const { guid } = await publish(person, { 'index.html': 'a page' });
  const { db } = server.running.services.storage;
  const job = { content_guid: guid, bundle_id: 1, tag: 'run_app', pid: 1, restored: null };
  const open = { started: 1, heartbeat: 1, ended: null, exit_code: null, outcome: null };
  for (const node of ['there', 'gone']) await insertJob(db, { ...job, ...open, key: node, node });
  await showHeartbeat(db, 'there', 'other:3939');
  await endLostJobs(db, 'gone', 0);
  expect((await findJob(db, guid, 'there'))?.ended).toBeNull();
  expect((await findJob(db, guid, 'gone'))?.ended).toBe(1);
});
