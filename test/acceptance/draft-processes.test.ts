// Covers drafts of applications: their processes, before and while they go live.
import { once } from 'node:events';
import { finishedTask, publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ASGI, asgi } from '../runtime/python-content.ts';
import { API, app, draftSteps } from './draft-steps.ts';

let server: TestServer;
let owner: Person;
const { deploy, draft, drafts, read } = draftSteps(
  () => server,
  () => owner,
);
beforeAll(async () => {
  server = await startTestServer({ own: true });
  owner = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());

const activeOf = async (guid: string) => (await owner.call('GET', `/v1/content/${guid}`)).body.bundle_id;

test('a draft goes live even when its visitors occupy every process', async () => {
  const fields = { max_processes: 1, max_conns_per_process: 1 };
  const { guid } = await publish(owner, asgi({}), { metadata: ASGI, fields });
  const { id } = await draft(guid, asgi({}), {}, ASGI);
  const [{ url }] = await drafts(guid);
  const socket = new WebSocket(url.replace('http', 'ws'), {
    headers: { authorization: `Key ${owner.key}` },
  });
  await once(socket, 'open');
  expect(await deploy(guid, { bundle_id: id })).toMatchObject({ code: 0, error: '' });
  expect(await activeOf(guid)).toBe(id);
  socket.terminate();
});

test('a draft of an application runs with the variables and goes live without a rebuild', async () => {
  const { guid, path } = await publish(owner, { 'app.py': app('live') }, { metadata: API });
  await owner.call('PATCH', `/v1/content/${guid}/environment`, { body: [{ name: 'WORD', value: 'hi' }] });
  const before = (await server.anonymous('GET', path)).bytes.toString().split(' ');
  const { id, task } = await draft(guid, { 'app.py': app('next') }, {}, API);
  expect(task).toMatchObject({ code: 0 });
  const url = `//content/${guid}/_bundle${id}/`;
  const next = String(await read(owner, url)).split(' ');
  expect([next[0], next[2]]).toEqual(['next', 'hi']);
  expect(next[1]).not.toBe(before[1]);
  expect((await server.anonymous('GET', path)).bytes.toString().split(' ')).toEqual(before);

  const live = await deploy(guid, { bundle_id: id });
  expect(live).toMatchObject({ code: 0 });
  expect(live.output.join('\n')).not.toMatch(/Extracted|Restor|Building/);
  // The process of the draft itself is used.
  expect((await server.anonymous('GET', path)).bytes.toString().split(' ')).toEqual(next);
  expect(String(await read(owner, url)).split(' ')).toEqual(next);
  expect(await drafts(guid)).toEqual([]);
});

test('a draft stays reachable with the same process while it goes live', async () => {
  const { guid } = await publish(owner, { 'app.py': app('live') }, { metadata: API });
  for (let round = 0; round < 3; round += 1) {
    const { id } = await draft(guid, { 'app.py': app(`next-${round}`) }, {}, API);
    const url = `//content/${guid}/_bundle${id}/`;
    const first = await read(owner, url);
    const going = deploy(guid, { bundle_id: id });
    let isOver = false;
    void going.finally(() => (isOver = true));
    const seen = new Set<unknown>();
    do seen.add(await read(owner, url));
    while (!isOver);
    expect((await going).code).toBe(0);
    seen.add(await read(owner, url));
    expect([...seen]).toEqual([first]);
  }
});

test('discarding a draft ends its running responses', async () => {
  const { guid } = await publish(owner, { 'app.py': app('live') }, { metadata: API });
  const endless = `
import time
def app(environ, start):
  start("200 OK", [("Content-Type", "text/plain")])
  def lines():
      while True:
          yield b"line\\n"
          time.sleep(0.05)
  return lines()
`;
  const { id } = await draft(guid, { 'app.py': endless }, {}, API);
  const response = await fetch(`${server.url}/content/${guid}/_bundle${id}/`, {
    headers: { Authorization: `Key ${owner.key}` },
  });
  const reader = response.body!.getReader();
  expect((await reader.read()).done).toBe(false);
  expect((await owner.call('DELETE', `/v1/content/${guid}/drafts/${id}`)).status).toBe(204);
  const end = (async () => {
    while (!(await reader.read()).done);
  })();
  await Promise.allSettled([end]);
  expect(await read(owner, `//content/${guid}/_bundle${id}/`)).toBe(404);
});

test('a draft that fails to start does not exist, and a broken one does not go live', async () => {
  const { guid, path } = await publish(owner, { 'app.py': app('live') }, { metadata: API });
  const bad = await draft(guid, { 'app.py': 'raise RuntimeError("no")' }, {}, API);
  expect(bad.task.code).not.toBe(0);
  expect(bad.task.error).toContain('Error: no');
  expect(await drafts(guid)).toEqual([]);
  const once = `
import os
if os.path.exists("broken"):
  raise RuntimeError("it is broken")
open("broken", "w").close()
${app('once')}`;
  const { id } = await draft(guid, { 'app.py': once }, {}, API);
  // Its processes exit, and no other can start.
  await owner
    .call('POST', `/v1/content/${guid}/restart`)
    .then(({ body }) => finishedTask(owner, body.task_id));
  const failed = await deploy(guid, { bundle_id: id });
  expect(failed.error).toContain('it is broken');
  expect((await server.anonymous('GET', path)).bytes.toString()).toContain('live');
  expect((await drafts(guid)).map(({ bundle_id }: { bundle_id: string }) => bundle_id)).toEqual([id]);
});
