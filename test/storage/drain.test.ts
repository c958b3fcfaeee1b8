// Covers servers that start no more processes on request of an administrator: one or all, immediately, and after restarts.
import { startServer } from '@pressroom/server';
import {
  caller,
  finishedTask,
  freePort,
  publish,
  startTestServer,
  testLog,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { ASGI, asgi } from '../runtime/python-content.ts';

const PLAIN = asgi({ '/': 'answer = 1' });
const ready = async (url: string) => (await fetch(`${url}/__health__/ready`)).status;
const change = ({ call }: Person, what: 'drain' | 'resume', server?: string) =>
  call('POST', `/v1/servers/${what}`, { body: server === undefined ? {} : { server } });

/** A fixed address, which the server keeps after a restart. */
const listening = async () => ({ 'HTTP.Listen': `127.0.0.1:${await freePort()}` });

test('a drained server starts no processes, reports it to proxies, and stays drained after a restart', async () => {
  await using server = await startTestServer({ settings: await listening() });
  const owner = await server.person('publisher');
  const admin = await server.administrator();
  const { path } = await publish(owner, PLAIN, { metadata: ASGI });
  await server.restart();
  expect((await change(owner, 'drain')).status).toBe(403);
  const drained = (await change(admin, 'drain')).body;
  const name = drained.servers[0].name;
  expect(drained).toMatchObject({
    all_draining: true,
    servers: [{ name: expect.stringMatching(/:\d+$/), running: true, draining: true, drained_by: 'admin' }],
  });
  for (let i = 0; i < 2; i += 1) {
    expect(await ready(server.url)).toBe(503);
    // The second visitor gets 503, too: it is not the result of a failed start.
    for (let visitor = 0; visitor < 2; visitor += 1) expect((await owner.call('GET', path)).status).toBe(503);
    if (i === 0) await server.restart();
  }
  expect((await change(admin, 'resume', name)).body).toMatchObject({
    code: 25,
    error: expect.stringContaining('resume all'),
  });
  const resumed = await change(admin, 'resume');
  expect(resumed.body).toMatchObject({
    all_draining: false,
    servers: [{ draining: false, drained_by: null }],
  });
  expect(await ready(server.url)).toBe(200);
  await expect.poll(async () => (await owner.call('GET', path)).status).toBe(200);
  expect(await change(admin, 'drain', 'elsewhere:1')).toMatchObject({
    status: 404,
    body: { code: 4, error: expect.stringContaining(name) },
  });
});

test('a restart requested while the server drains ends no process', async () => {
  await using server = await startTestServer({ settings: await listening() });
  const owner = await server.person('publisher');
  const admin = await server.administrator();
  const { guid, path } = await publish(owner, asgi({ '/': 'answer = STARTED' }), { metadata: ASGI });
  const before = (await owner.call('GET', path)).body;
  await change(admin, 'drain');
  const { task_id } = (await owner.call('POST', `/v1/content/${guid}/restart`)).body;
  expect(await finishedTask(owner, task_id)).toMatchObject({
    code: 1,
    error: expect.stringContaining('starts nothing more'),
  });
  expect(await owner.call('GET', path)).toMatchObject({ status: 200, body: before });
});

if (process.env.PRESSROOM_TEST_ENGINE === 'postgres') {
  const nameOf = ({ running }: Pick<TestServer, 'running'>) => running.services.drain.server;

  test('all servers, or a named one, follow a drain; a new server joins it', async () => {
    await using server = await startTestServer({ settings: await listening() });
    const admin = await server.administrator();
    const config = { ...server.running.services.config, ...(await listening()) };
    const startSecond = () => startServer({ config, log: testLog() });
    const second = await startSecond();
    const there = second.services.drain.server;
    const states = async () =>
      Object.fromEntries(
        (await admin.call('GET', '/v1/servers')).body.servers.map(
          (one: { name: string; running: boolean; draining: boolean }) => [
            one.name,
            [one.running, one.draining],
          ],
        ),
      );
    expect(await states()).toEqual({ [nameOf(server)]: [true, false], [there]: [true, false] });

    await change(admin, 'drain');
    await expect.poll(() => ready(second.url)).toBe(503);
    expect(await ready(server.url)).toBe(503);
    // Resumed through the other server.
    const elsewhere = caller(() => second.url, admin.key);
    await elsewhere('POST', '/v1/servers/resume');
    await expect.poll(() => ready(server.url)).toBe(200);

    await change(admin, 'drain', there);
    await expect.poll(() => ready(second.url)).toBe(503);
    expect(await ready(server.url)).toBe(200);
    await second[Symbol.asyncDispose]();
    expect(await states()).toEqual({ [nameOf(server)]: [true, false], [there]: [false, true] });
    {
      await using again = await startSecond();
      expect(await ready(again.url)).toBe(503);
      await change(admin, 'resume', there);
      await expect.poll(() => ready(again.url)).toBe(200);
    }

    await change(admin, 'drain');
    await using third = await startServer({ config: { ...config, ...(await listening()) }, log: testLog() });
    expect(await ready(third.url)).toBe(503);
  });

  test('a deploy of an application that a drained server receives is done by another one, if one does not drain', async () => {
    await using server = await startTestServer({ settings: await listening() });
    const owner = await server.person('publisher');
    const admin = await server.administrator();
    const config = { ...server.running.services.config, ...(await listening()) };
    await using second = await startServer({ config, log: testLog() });
    await change(admin, 'drain', nameOf(server));
    const { guid, path, task } = await publish(owner, PLAIN, { metadata: ASGI });
    expect(task.output.join('\n')).toContain('it drains. Another one starts this task again.');
    expect(await caller(() => second.url, owner.key)('GET', path)).toMatchObject({ status: 200, body: 1 });

    await change(admin, 'drain');
    const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`, { body: {} })).body;
    expect(await finishedTask(owner, task_id)).toMatchObject({
      code: 1,
      error: expect.stringContaining('starts nothing more'),
    });
  });

  test('a restart requested at a drained server is done by another one, if one does not drain', async () => {
    await using server = await startTestServer({ settings: await listening() });
    const owner = await server.person('publisher');
    const admin = await server.administrator();
    const { guid, path } = await publish(owner, asgi({ '/': 'answer = STARTED' }), { metadata: ASGI });
    const config = { ...server.running.services.config, ...(await listening()) };
    await using second = await startServer({ config, log: testLog() });
    const before = (await owner.call('GET', path)).bytes.toString();
    await change(admin, 'drain', nameOf(server));
    const { task_id } = (await owner.call('POST', `/v1/content/${guid}/restart`)).body;
    const task = await finishedTask(owner, task_id);
    expect(task).toMatchObject({ code: 0, error: '' });
    expect(task.output.join('\n')).toContain('it drains. Another one starts this task again.');
    const after = await caller(() => second.url, owner.key)('GET', path);
    expect(after.status).toBe(200);
    expect(after.bytes.toString()).not.toBe(before);
    await expect.poll(async () => (await owner.call('GET', path)).bytes.toString()).not.toBe(before);
  });

  test('draining the processes of content gives visitors of all servers new ones', async () => {
    await using server = await startTestServer({ settings: await listening() });
    const owner = await server.person('publisher');
    const { guid, path } = await publish(owner, asgi({ '/': 'answer = STARTED' }), { metadata: ASGI });
    const config = { ...server.running.services.config, ...(await listening()) };
    await using second = await startServer({ config, log: testLog() });
    const elsewhere = caller(() => second.url, owner.key);
    const before = (await elsewhere('GET', path)).bytes.toString();
    expect((await elsewhere('GET', path)).bytes.toString()).toBe(before);
    server.running.services.processes.drainAll(guid);
    await expect.poll(async () => (await elsewhere('GET', path)).bytes.toString()).not.toBe(before);
  });
}
