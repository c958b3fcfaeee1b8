// Covers a server that disappears, or returns after its lease: the other one does its work, once.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  caller,
  firstAdministrator,
  makeArchive,
  pauseProcesses,
  startConstellation,
  type Call,
  type Constellation,
} from '@pressroom/testkit';
import { afterAll, beforeAll, beforeEach, expect, onTestFailed, test } from 'vitest';
import { ASGI, asgi } from '../runtime/python-content.ts';

/** An application that starts once the file `go` exists. */
const SLOW = asgi(
  { '/': 'answer = os.path.basename(os.getcwd())' },
  'while not os.path.exists("go"): time.sleep(0.05)',
);
/** Seconds that one request may wait (contract, getTask). */
const WAIT = 20;

let constellation: Constellation;
let key: string;
let first: Call;
let second: Call;
/** What the servers logged, shown if a test fails. */
const logged: string[] = [];
beforeEach(() => onTestFailed(() => console.log(logged.join('\n'))));
beforeAll(async () => {
  constellation = await startConstellation({
    store: false,
    postgres: ['fsync=off', 'autovacuum=off'],
    env: { PRESSROOM_LOG_LEVEL: 'warn' },
    log: (line) => logged.push(line),
  });
  key = (await firstAdministrator(() => constellation.url)).key;
  [first, second] = constellation.servers.map(({ url }) => caller(() => url, key)) as [Call, Call];
});
afterAll(() => constellation[Symbol.asyncDispose]());

async function uploaded(call: Call, name: string): Promise<string> {
  const { guid } = (await call('POST', '/v1/content', { body: { name, access_type: 'all' } })).body;
  await call('POST', `/v1/content/${guid}/bundles`, { raw: makeArchive(SLOW, ASGI) });
  return guid;
}

const deploy = async (call: Call, guid: string): Promise<string> =>
  (await call('POST', `/v1/content/${guid}/deploy`)).body.task_id;

const output = async (call: Call, task: string): Promise<string[]> =>
  (await call('GET', `/v1/tasks/${task}`)).body.output;

/** @throws with the output if the deploy ends before */
async function launched(call: Call, task: string, times: number): Promise<void> {
  const isLaunching = (line: string) => line.startsWith('Launching');
  await expect
    .poll(async () => (await call('GET', `/v1/tasks/${task}`)).body)
    .toSatisfy(({ finished, output }) => finished || output.filter(isLaunching).length >= times);
  expect((await output(call, task)).filter(isLaunching)).toHaveLength(times);
}

/** Waits for the end of a task as clients do. */
async function end(call: Call, task: string) {
  for (;;) {
    const { body } = await call('GET', `/v1/tasks/${task}?wait=${WAIT}`);
    if (body.finished) return body;
  }
}

/** The same of a deploy whose application waits to be let go, also where another server takes it over meanwhile. */
async function letEnd(call: Call, guid: string, task: string) {
  for (;;) {
    await letGo(guid);
    const { body } = await call('GET', `/v1/tasks/${task}?wait=1`);
    if (body.finished) return body;
  }
}

const sitesOf = (guid: string) => readdir(join(constellation.dataDir!, 'content', guid));

/** Lets all applications of this content start, current and later ones. */
async function letGo(guid: string): Promise<void> {
  for (const site of await sitesOf(guid)) {
    const file = join(constellation.dataDir!, 'content', guid, site, 'go');
    await writeFile(file, '').catch((error: NodeJS.ErrnoException) => {
      // It may be removed meanwhile.
      if (error.code !== 'ENOENT') throw error;
    });
  }
}

const served = async (call: Call, guid: string) => (await call('GET', `//content/${guid}/`)).body;

test('when a server is killed, the other continues its deploy and queued ones', async () => {
  const server = constellation.servers[1]!;
  const guid = await uploaded(second, 'killed');
  const task = await deploy(second, guid);
  await launched(second, task, 1);
  // Deploys of one content item run in order, whichever server accepted them.
  const [behind, ahead] = [await deploy(second, guid), await deploy(first, guid)];
  await server.stop('SIGKILL');
  const begun = performance.now();
  await launched(first, task, 2);
  expect(performance.now() - begun).toBeLessThan(40_000);
  expect(await output(first, task)).toContainEqual(expect.stringContaining('is gone. Another one starts it'));
  for (const id of [task, behind, ahead]) {
    await expect
      .poll(async () => (await output(first, id)).some((line) => line.startsWith('Launching')))
      .toBe(true);
    expect(await letEnd(first, guid, id)).toMatchObject({ code: 0 });
  }
  expect(await served(first, guid)).toMatch(new RegExp(`-${ahead}$`));
  await server.start();
});

test('a server paused beyond its leases overwrites nothing, and serves again', async () => {
  const server = constellation.servers[1]!;
  const guid = await uploaded(second, 'paused');
  const task = await deploy(second, guid);
  await launched(second, task, 1);
  const [before] = await sitesOf(guid);
  using paused = pauseProcesses(server.pid);
  await launched(first, task, 2);
  await letGo(guid);
  const done = await end(first, task);
  expect(done).toMatchObject({ code: 0 });
  const shown = await served(first, guid);
  expect(shown).not.toBe(before);
  paused[Symbol.dispose]();
  // It serves the other server's version, has abandoned its deploy, and accepts new ones.
  await expect.poll(async () => (await sitesOf(guid)).length).toBe(1);
  expect(await served(second, guid)).toBe(shown);
  // Output may still be added, but the outcome stays.
  const { code, stages } = done;
  expect(await end(second, task)).toMatchObject({ code, stages });
  const again = await deploy(second, guid);
  await launched(second, again, 1);
  expect(await letEnd(first, guid, again)).toMatchObject({ code: 0 });
});

test('a server that shuts down leaves its deploys to the other', async () => {
  const server = constellation.servers[1]!;
  const guid = await uploaded(second, 'stopped');
  const task = await deploy(second, guid);
  await launched(second, task, 1);
  expect(await server.stop('SIGTERM')).toBe(0);
  await launched(first, task, 2);
  await letGo(guid);
  expect(await end(first, task)).toMatchObject({ code: 0 });
  await server.start();
});
