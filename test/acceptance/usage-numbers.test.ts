// Covers usage numbers: the same in the dashboard, on the command line, in Slack's summary and in the API, for all who
// may see them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@pressroom/api/client';
import { summarizeUsage } from '@pressroom/api/usage';
import {
  createBrowser,
  grant,
  publish,
  startTestServer,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../../packages/cli/src/testing/run-here.ts';

let server: TestServer;
let owner: Person;
let collaborator: Person;
let stranger: Person;
let guid: string;
let versions: readonly [string, string];
let home: string;
beforeAll(async () => {
  server = await startTestServer();
  home = await mkdtemp(join(tmpdir(), 'pressroom-usage-'));
  [owner, collaborator] = [await server.person('publisher'), await server.person('publisher')];
  stranger = await server.person('publisher');
  const first = await publish(owner, { 'index.html': 'one' });
  guid = first.guid;
  await grant(owner, guid, collaborator, 'owner');
  const active = async () => (await owner.call('GET', `/v1/content/${guid}`)).body.bundle_id;
  const before = await active();
  for (const call of [owner.call, server.anonymous]) await call('GET', first.path);
  await publish(owner, { 'index.html': 'two' }, { guid });
  versions = [before, await active()];
  await collaborator.call('GET', first.path);
  // The recorder writes buffered visits when the server stops.
  await server.restart();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});

async function numbers(person: Person) {
  const path = `/v1/instrumentation/content`;
  const visits = (await person.call('GET', `${path}/visits?content_guid=${guid}&shared=true`)).body.results
    .length;
  const hits = (await person.call('GET', `${path}/hits?content_guid=${guid}&shared=true`)).body.length;
  const client = createClient({ url: server.url, apiKey: person.key });
  const to = Date.now() + 1000;
  const slack = await summarizeUsage({ client, contents: [guid], from: to - 86_400_000, to });
  await client[Symbol.asyncDispose]();
  const env = { PATH: process.env.PATH, HOME: home, CONNECT_SERVER: server.url, CONNECT_API_KEY: person.key };
  const { stdout } = await runHere(['usage', guid, '--json'], { env, cwd: home });
  return { visits, hits, slack: slack.visits, line: JSON.parse(stdout).visits };
}

async function dashboard({ username }: Person): Promise<string> {
  const browser = createBrowser();
  await browser.submit(`${server.url}/__login__`, { username, password: 'correct horse' });
  return (await browser.get(`${server.url}/__dashboard__/content/${guid}/usage`)).text;
}

test.each(['owner', 'collaborator', 'administrator'])('the %s reads three visits everywhere', async (who) => {
  const person =
    who === 'owner' ? owner : who === 'collaborator' ? collaborator : await server.administrator();
  expect(await numbers(person)).toEqual({ visits: 3, hits: 3, slack: 3, line: 3 });
  const page = await dashboard(person);
  expect(page).toMatch(/aria-label="Visits and sessions from \S+ to \S+: 3,/);
  const row = (name: string, n: number) =>
    expect(page.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(`>${name}</td> ?<td[^>]*>${n}</td>`));
  for (const name of [owner.username, collaborator.username, 'not signed in']) row(name, 1);
  row(versions[0], 2);
  row(versions[1], 1);
  expect(page).toContain(`bundle ${versions[1]}`);
});

test('others read none; without `shared`, a collaborator reads own content only (contract, 4.5, rule 2)', async () => {
  expect(await numbers(stranger)).toMatchObject({ visits: 0, hits: 0 });
  for (const query of ['', `?content_guid=${guid}`]) {
    const { body } = await collaborator.call('GET', `/v1/instrumentation/content/visits${query}`);
    expect(body.results).toEqual([]);
  }
});
