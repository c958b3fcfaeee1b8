// Covers posit-sdk for Python, from PyPI and unmodified: each resource that it has and the server supports.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  makeArchive,
  makeQuickRenderer,
  QUICK_DOCUMENT,
  quickDocument,
  startTestServer,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertJob } from '../../packages/server/src/jobs/store.ts';
import { visitToken } from '../acceptance/visit-token.ts';
import { findClients, startPython, titled, type PythonSession } from './clients.ts';

const clients = await findClients();

describe.skipIf(clients.whyNot !== null)(titled('posit-sdk', clients), () => {
  const stack = new AsyncDisposableStack();
  let server: TestServer;
  let admin: Person;
  let owner: Person;
  let home: string;
  let python: PythonSession;
  /** Python variables: `client` of the publisher, `admin` of the administrator, `item` for a content item of the publisher. */
  const run = (source: string) => python.run(source);
  const item = async () => (await owner.call('GET', `/v1/content/${await run('item["guid"]')}`)).body;

  beforeAll(async () => {
    const { settings } = stack.use(await makeQuickRenderer());
    server = stack.use(
      await startTestServer({ settings: { ...settings, 'Applications.VisitorKeys': 'viewer' } }),
    );
    admin = await server.administrator();
    owner = await server.person('publisher', { username: 'grace', first_name: 'Grace' });
    home = await mkdtemp(join(tmpdir(), 'posit-sdk-'));
    await writeFile(join(home, 'bundle.tar.gz'), makeArchive({ 'index.html': 'made with posit-sdk' }));
    python = startPython(clients, home);
    const ofKey = (key: string) =>
      `Client(url=${JSON.stringify(server.url)}, api_key=${JSON.stringify(key)})`;
    await run(`import os
from posit.connect import Client
os.chdir(os.environ["HOME"])
client = ${ofKey(owner.key)}
admin = ${ofKey(admin.key)}
item = client.content.create(name="sdk-item", title="From the SDK", access_type="all")`);
  });
  afterAll(async () => {
    await python[Symbol.asyncDispose]();
    await stack.disposeAsync();
    await rm(home, { recursive: true });
  });

  test('client.me returns and updates the user', async () => {
    expect(await run('client.me')).toMatchObject({ guid: owner.guid, username: 'grace', confirmed: true });
    await run('client.me.update(first_name="Hopper")');
    expect((await owner.call('GET', '/v1/user')).body.first_name).toBe('Hopper');
  });

  test('finds, counts, creates and locks users', async () => {
    const names = '[user["username"] for user in admin.users.find()]';
    expect((await run(names)).toSorted()).toEqual(['admin', 'grace']);
    expect(await run('[user["username"] for user in admin.users.find(prefix="GR")]')).toEqual(['grace']);
    expect(await run('admin.users.find_one(prefix="grace")')).toMatchObject({ guid: owner.guid });
    expect(await run(`admin.users.get("${owner.guid}")["username"]`)).toBe('grace');
    await run(
      `bob = admin.users.create(username="bob", email="bob@example.com", password="correct horse", user_role="publisher")`,
    );
    expect(await run('admin.users.count()')).toBe(3);
    const locked = async () => (await admin.call('GET', `/v1/users/${await run('bob["guid"]')}`)).body.locked;
    await run('bob.lock()');
    expect(await locked()).toBe(true);
    await run('bob.unlock()');
    expect(await locked()).toBe(false);
  });

  test('creates groups, changes their members and deletes them', async () => {
    await run(`group = admin.groups.create(name="sdkgroup")
group.members.add(user_guid="${owner.guid}")`);
    const guid = await run('group["guid"]');
    expect((await admin.call('GET', `/v1/groups/${guid}/members`)).body.results).toMatchObject([
      { username: 'grace' },
    ]);
    expect(await run('[member["username"] for member in group.members.find()]')).toEqual(['grace']);
    expect(await run('[one["name"] for one in admin.groups.find(prefix="sdk")]')).toEqual(['sdkgroup']);
    expect(await run('(admin.groups.count(), group.members.count())')).toEqual([1, 1]);
    await run(`group.members.delete(user_guid="${owner.guid}")`);
    expect(await run('group.members.find()')).toEqual([]);
    await run('group.delete()');
    expect(await run('admin.groups.find()')).toEqual([]);
  });

  test('creates, finds, updates and deletes content', async () => {
    await run('other = client.content.create()');
    expect(await run('other["name"]')).toMatch(/^content-/);
    expect(await run('client.content.get(item["guid"])["title"]')).toBe('From the SDK');
    expect(await run('client.content.find_by(name="sdk-item")["guid"]')).toBe((await item()).guid);
    expect(await run('client.content.count()')).toBe(2);
    const owners = '[one["owner"]["username"] for one in client.content.find(include=["owner", "tags"])]';
    expect(await run(owners)).toEqual(['grace', 'grace']);
    expect(await run('item.owner["guid"]')).toBe(owner.guid);
    await run('item.update(title="Another title", description="Long")');
    expect(await item()).toMatchObject({ title: 'Another title', description: 'Long' });
    await run('other.delete()');
    expect(await run('[one["name"] for one in client.content.find()]')).toEqual(['sdk-item']);
    expect(await run('item.is_rendered')).toBe(false);
  });

  test('creates bundles, deploys them and waits for their tasks', async () => {
    await run(`bundle = item.bundles.create("bundle.tar.gz")
task = bundle.deploy()
task.wait_for()`);
    expect(await run('(task.is_finished, task.error_code, task.error_message)')).toEqual([true, 0, '']);
    expect(await run('client.tasks.get(task["id"])["code"]')).toBe(0);
    expect((await item()).bundle_id).toBe(await run('bundle["id"]'));
    expect((await server.anonymous('GET', `//content/${(await item()).guid}/`)).bytes.toString()).toBe(
      'made with posit-sdk',
    );
    expect(await run('[one["active"] for one in item.bundles.find()]')).toEqual([true]);
    expect(await run('item.bundles.get(bundle["id"])["size"] == os.path.getsize("bundle.tar.gz")')).toBe(
      true,
    );
    await run('bundle.download("again.tar.gz")');
    expect(await run('open("again.tar.gz", "rb").read() == open("bundle.tar.gz", "rb").read()')).toBe(true);
    expect(await run('item.deploy().wait_for()')).toBeNull();
    await run(`spare = item.bundles.create("bundle.tar.gz")
spare.delete()`);
    expect(await run('len(item.bundles.find())')).toBe(1);
  });

  test('metrics return visits with their page', async () => {
    // Visits are recorded shortly after the page was sent.
    const paths = () => run('[one.path for one in client.metrics.usage.find()]');
    await expect.poll(paths).toContain('/');
    expect(await run('client.metrics.usage.find_one()["content_guid"] == item["guid"]')).toBe(true);
  });

  test('sets and lists environment variables by name, without values', async () => {
    await run('item.environment_variables.update(FIRST="1", SECOND="2")');
    const path = `/v1/content/${(await item()).guid}/environment`;
    expect((await owner.call('GET', path)).body.toSorted()).toEqual(['FIRST', 'SECOND']);
    await run('item.environment_variables.delete("FIRST")');
    expect(await run('item.environment_variables.find()')).toEqual(['SECOND']);
    expect((await owner.call('GET', path)).body).toEqual(['SECOND']);
    await run('item.environment_variables.clear()');
    expect((await owner.call('GET', path)).body).toEqual([]);
  });

  test('grants and revokes permissions of users and groups', async () => {
    const viewer = await server.person('viewer');
    await run(
      `given = item.permissions.create(principal_guid="${viewer.guid}", principal_type="user", role="viewer")`,
    );
    const path = `/v1/content/${(await item()).guid}/permissions`;
    expect((await owner.call('GET', path)).body).toMatchObject([
      { principal_guid: viewer.guid, role: 'viewer' },
    ]);
    expect(await run('item.permissions.get(given["id"])["role"]')).toBe('viewer');
    await run(`team = admin.groups.create(name="sdkteam")
item.permissions.create(team, role="viewer")`);
    expect(await run('sorted(one["principal_type"] for one in item.permissions.find())')).toEqual([
      'group',
      'user',
    ]);
    await run(`item.permissions.destroy(team)
given.destroy()`);
    expect((await owner.call('GET', path)).body).toEqual([]);
  });

  test('sets a vanity path, and deletes it twice', async () => {
    await run('item.vanity = "/sdk-path/"');
    expect(await run('client.content.get(item["guid"]).vanity')).toBe('/sdk-path/');
    expect((await owner.call('GET', `/v1/content/${(await item()).guid}/vanity`)).body.path).toBe(
      '/sdk-path/',
    );
    await run('del item.vanity');
    await run('del item.vanity');
    expect((await owner.call('GET', `/v1/content/${(await item()).guid}/vanity`)).status).toBe(404);
  });

  test('creates a tree of tags, and tags content', async () => {
    await run(`category = admin.tags.create(name="Kind")
tag = admin.tags.create(name="Report", parent=category)
item.tags.add(tag)`);
    const path = `/v1/content/${(await item()).guid}/tags`;
    expect((await owner.call('GET', path)).body).toContainEqual(expect.objectContaining({ name: 'Report' }));
    expect(await run('[one["name"] for one in category.child_tags.find()]')).toEqual(['Report']);
    expect(await run('tag.parent_tag["name"]')).toBe('Kind');
    expect(await run('[one["name"] for one in tag.content_items.find()]')).toEqual(['sdk-item']);
    await run('item.tags.delete(tag)');
    expect((await owner.call('GET', path)).body).not.toContainEqual(
      expect.objectContaining({ name: 'Report' }),
    );
    await run('category.destroy()');
    expect(await run('client.tags.find()')).toEqual([]);
  });

  test('finds the live bundle, packages and environments', async () => {
    expect(await run('item.bundles.active()["id"]')).toBe((await item()).bundle_id);
    expect(await run('list(item.packages)')).toEqual([]);
    expect(await run('len(list(client.packages))')).toBe(0);
    expect(await run('list(client.environments)')).toEqual([]);
  });

  test('acts for a visitor, where an administrator allowed it', async () => {
    const { guid } = await item();
    await run(`one = admin.oauth.integrations.find_by(integration_type="connect", config={"max_role": "Viewer"})
admin.content.get("${guid}").oauth.associations.update(one["guid"])`);
    expect(await run('item.oauth.associations.find()')).toMatchObject([{ app_guid: guid }]);
    expect(await run('[entry["app_guid"] for entry in one.associations.find()]')).toEqual([guid]);
    const visitor = await server.person('viewer');
    // As in content.
    await run(`os.environ["CONNECT_CONTENT_GUID"] = "${guid}"
visitor = client.with_user_session_token("${await visitToken(server, visitor, guid)}")`);
    expect(await run('visitor.me["username"]')).toBe(visitor.username);
    await run(`admin.content.get("${guid}").oauth.associations.delete()`);
    expect(await run('item.oauth.associations.find()')).toEqual([]);
  });

  test('content without jobs or a repository returns none', async () => {
    expect(await run('list(item.jobs)')).toEqual([]);
    expect(await run('item.repository')).toBeNull();
  });

  test('finds a process by its key', async () => {
    const { guid } = await item();
    const times = { started: 1_000_000, heartbeat: 2_000_000, ended: 2_000_000 };
    const process = { node: 'n', pid: 1, tag: 'run_api', bundle_id: 1, exit_code: 0, outcome: 'It ended' };
    const { db } = server.running.services.storage;
    await insertJob(db, { key: 'jobOfItem0000001', content_guid: guid, ...times, ...process });
    expect(await run('item.jobs.find("jobOfItem0000001")')).toMatchObject({ pid: 1, outcome: 'It ended' });
  });

  test('finds the renderings of a document as jobs, reads their logs, and ends them', async () => {
    await writeFile(
      join(home, 'report.tar.gz'),
      makeArchive(quickDocument('import time\nlog("rendered")\ntime.sleep(seconds)', { seconds: 0 }), {
        ...QUICK_DOCUMENT,
      }),
    );
    await run(`report = client.content.create(name="sdk-report")
bundle = report.bundles.create("report.tar.gz")
task = bundle.deploy()`);
    expect(await run('[job["tag"] for job in report.jobs]')).toEqual(['build_report']);
    await run('task.wait_for()');
    expect(await run('report.jobs[0] == report.jobs.find_by(key=report.jobs[0]["key"])')).toBe(true);
    expect(await run('report.jobs[0]')).toMatchObject({ status: 2, exit_code: 0, variant_id: 'default' });
    const log = 'client.get(f\'v1/content/{report["guid"]}/jobs/{report.jobs[0]["key"]}/log\').json()';
    expect(await run(`[entry["data"] for entry in ${log}["entries"]]`)).toContain('rendered');
    const body = { name: 'slow', values: { seconds: 100_000 }, visibility: 'private' };
    await owner.call('POST', `/v1/content/${await run('report["guid"]')}/variants`, { body });
    const active = '[job for job in report.jobs if job["status"] == 0]';
    expect(await run(`len(${active})`)).toBe(1);
    await run(`${active}[0].destroy()`);
    await expect.poll(() => run(active)).toEqual([]);
  });
});
