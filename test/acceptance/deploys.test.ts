// Covers the deploys of a content item: who started them, the bundle, and the outcome.
import {
  createBrowser,
  finishedTask,
  grant,
  makeArchive,
  publish,
  startTestServer,
  type Person,
} from '@pressroom/testkit';
import { expect, test } from 'vitest';

const API = { appmode: 'python-api', entrypoint: 'app:app' };
const WORKS = `
def app(environ, start_response):
    start_response("200 OK", [])
    return [b"1"]
`;

async function deploy(person: Person, guid: string, code: string) {
  const uploaded = await person.call('POST', `/v1/content/${guid}/bundles`, {
    raw: makeArchive({ 'app.py': code }, API),
  });
  const { id } = uploaded.body as { id: string };
  const { body } = await person.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id: id } });
  await person.call('GET', `/v1/tasks/${body.task_id}?wait=20`);
  return { bundle: id, task: body.task_id as string };
}

test('collaborators list deploys of all users with their outcomes, newest first', async () => {
  await using server = await startTestServer();
  const owner = await server.person('publisher');
  const other = await server.person('publisher');
  const viewer = await server.person('viewer');
  const { body: content } = await owner.call('POST', '/v1/content', {
    body: { name: 'deploys', access_type: 'all' },
  });
  const path = `/v1/content/${content.guid}/deploys`;
  expect((await owner.call('GET', path)).body).toEqual([]);
  await grant(owner, content.guid, other, 'owner');

  const good = await deploy(owner, content.guid, WORKS);
  const bad = await deploy(other, content.guid, 'raise RuntimeError("no")');
  const again = await owner.call('POST', `/v1/content/${content.guid}/deploy`, {
    body: { bundle_id: good.bundle },
  });
  await owner.call('GET', `/v1/tasks/${again.body.task_id}?wait=20`);

  const { body: listed } = await other.call('GET', path);
  expect(listed).toMatchObject([
    {
      task_id: again.body.task_id,
      bundle_id: good.bundle,
      user_guid: owner.guid,
      state: 'succeeded',
      active: true,
      was_live: true,
    },
    { task_id: bad.task, bundle_id: bad.bundle, user_guid: other.guid, state: 'failed', was_live: false },
    { task_id: good.task, bundle_id: good.bundle, user_guid: owner.guid, state: 'succeeded', error: '' },
  ]);
  expect(listed[1].error).not.toBe('');
  expect(listed[0].finished_time >= listed[0].started_time).toBe(true);
  expect((await viewer.call('GET', path)).status).toBe(403);
});

test('people take turns: a deploy does not wait for all deploys of another person', async () => {
  await using server = await startTestServer({ settings: { 'Applications.MaxConcurrentDeploys': 1 } });
  const { deploys, storage, tasks } = server.running.services;
  const [ada, ben] = [await server.person('publisher'), await server.person('publisher')];
  async function content(person: Person, name: string): Promise<string> {
    const { guid } = (await person.call('POST', '/v1/content', { body: { name } })).body;
    await person.call('POST', `/v1/content/${guid}/bundles`, { raw: makeArchive({ 'index.html': 'x' }) });
    return guid;
  }
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const guid = await content(ada, 'long');
  const subject = { kind: 'deploy', content_guid: guid, bundle_id: null, user_guid: ada.guid } as const;
  const long = await storage.write((tx) => tasks.create(tx, subject));
  const done = deploys.runObtained(long, guid, async () => {
    begun.resolve();
    await held.promise;
    return null;
  });
  await begun.promise;
  const waiting: string[] = [];
  for (const [person, name] of [
    [ada, 'second'],
    [ada, 'third'],
    [ben, 'first'],
  ] as const) {
    const { body } = await person.call('POST', `/v1/content/${await content(person, name)}/deploy`);
    waiting.push(body.task_id);
  }
  const bens = (await ben.call('GET', `/v1/tasks/${waiting[2]}`)).body;
  expect(bens).toMatchObject({ finished: false, output: [] });
  held.resolve();
  await done;
  await Promise.all(waiting.map((id) => finishedTask(id === waiting[2] ? ben : ada, id)));
  const ended = await storage.db
    .selectFrom('task')
    .select('id')
    .where('id', 'in', waiting)
    .orderBy('finished_time')
    .execute();
  expect(ended.map(({ id }) => id)).toEqual([waiting[2], waiting[0], waiting[1]]);
});

test('the dashboard rolls back to what was live before, with one button', async () => {
  await using server = await startTestServer();
  const owner = await server.person('publisher');
  const { guid, path } = await publish(owner, { 'index.html': 'first' });
  const browser = createBrowser();
  const root = `${server.url}/__dashboard__`;
  await browser.submit(`${server.url}/__login__`, { username: owner.username, password: 'correct horse' });
  const overview = async () => (await browser.get(`${root}/content/${guid}`)).text;
  const first = (await owner.call('GET', `/v1/content/${guid}`)).body.bundle_id;
  expect(await overview()).not.toContain('Roll back');
  const raw = makeArchive({ 'index.html': 'only uploaded' });
  await owner.call('POST', `/v1/content/${guid}/bundles`, { raw });
  await publish(owner, { 'index.html': 'third' }, { guid });
  expect(await overview()).toContain(`Roll back to bundle ${first}<`);
  const body = new URLSearchParams({
    bundle_id: first,
    xsrf: browser.cookie(`${root}/`, 'RSC-XSRF') ?? '',
  });
  const { headers } = await browser.request(`${root}/content/${guid}/deploy`, { method: 'POST', body });
  const task = headers.get('location')!.split('/').at(-1);
  await owner.call('GET', `/v1/tasks/${task}?wait=20`);
  expect((await owner.call('GET', path)).bytes.toString()).toBe('first');
  expect(await overview()).not.toContain('Roll back');
});
