// Two servers over one data directory: beside each other on PostgreSQL, one at a time on SQLite.
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startServer } from '@pressroom/server';
import {
  finishedTask,
  makeArchive,
  publish,
  startTestServer,
  testLog,
  type TestServer,
} from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ASGI, asgi } from '../runtime/python-content.ts';

const PLAIN = asgi({ '/': 'answer = 1' });
/** Starts only once somebody has looked for the file that says it may. */
const SLOW = asgi({ '/': 'answer = 2' }, 'while not os.path.exists("go"): time.sleep(0.02)');

const startBeside = ({ running }: TestServer) =>
  startServer({ config: running.services.config, log: testLog() });

if (process.env.PRESSROOM_TEST_ENGINE === 'postgres') {
  test('one that starts harms no deploy, upload or session of the other, nor does it when it stops', async () => {
    await using server = await startTestServer();
    const owner = await server.person('publisher');
    const open = await publish(owner, PLAIN, { metadata: ASGI });
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/content/${open.guid}/`);
    await once(socket, 'open');
    const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'slow' } })).body;
    const upload = (raw: Buffer) => owner.call('POST', `/v1/content/${guid}/bundles`, { raw });
    await upload(makeArchive(SLOW, ASGI));
    const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`)).body;
    const isLaunched = async () =>
      (await owner.call('GET', `/v1/tasks/${task_id}`)).body.output.some((line: string) =>
        /Launching/.test(line),
      );
    await expect.poll(isLaunched).toBe(true);
    const halfOfUpload = Promise.withResolvers<void>();
    const archive = makeArchive(PLAIN, ASGI);
    const slowly = new ReadableStream({
      async start(controller) {
        controller.enqueue(archive.subarray(0, 100));
        await halfOfUpload.promise;
        controller.enqueue(archive.subarray(100));
        controller.close();
      },
    });
    const uploading = owner.call('POST', `/v1/content/${open.guid}/bundles`, { raw: slowly });
    const bundles = () => readdir(join(server.dataDir, 'bundles'));
    await expect.poll(async () => (await bundles()).some((name) => name.endsWith('.upload'))).toBe(true);

    const second = await startBeside(server);
    await second[Symbol.asyncDispose]();

    halfOfUpload.resolve();
    expect((await uploading).status).toBe(200);
    const [site] = await readdir(join(server.dataDir, 'content', guid));
    await writeFile(join(server.dataDir, 'content', guid, site!, 'go'), '');
    expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0 });
    socket.send('still here');
    expect(String((await once(socket, 'message'))[0])).toBe('still here');
    socket.terminate();
  });

  test('a task that runs on one is read, waited for and cancelled on the other', async () => {
    await using server = await startTestServer();
    const owner = await server.person('publisher');
    const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'slow' } })).body;
    await owner.call('POST', `/v1/content/${guid}/bundles`, { raw: makeArchive(SLOW, ASGI) });
    const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`)).body;
    await using second = await startBeside(server);
    const elsewhere = (method: string, path: string) =>
      fetch(`${second.url}/__api__/v1/tasks/${path}`, {
        method,
        headers: { Authorization: `Key ${owner.key}` },
      });
    const output = async () =>
      ((await (await elsewhere('GET', task_id)).json()) as { output: string[] }).output;
    await expect.poll(output).toContain('Launching Python API...');
    expect((await elsewhere('POST', `${task_id}/cancel`)).ok).toBe(true);
    expect(await (await elsewhere('GET', `${task_id}?wait=20`)).json()).toMatchObject({
      finished: true,
      code: 1,
    });
    expect(await finishedTask(owner, task_id)).toMatchObject({ code: 1 });
  });
} else {
  test('a second one is refused, and does nothing to the first', async () => {
    await using server = await startTestServer();
    await expect(startBeside(server)).rejects.toThrow(/another server uses/);
    const published = await publish(await server.person('publisher'), { 'index.html': 'x' });
    expect(published.task).toMatchObject({ code: 0 });
    await server.restart();
  });
}
