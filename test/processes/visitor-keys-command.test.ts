// Covers `pressroom visitor-keys` with a real server.
import { publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../../packages/cli/src/testing/run-here.ts';

let server: TestServer;
let admin: Person;
let owner: Person;
let guid: string;
beforeAll(async () => {
  server = await startTestServer({ settings: { 'Applications.VisitorKeys': 'viewer' } });
  admin = await server.administrator();
  owner = await server.person('publisher');
  ({ guid } = await publish(owner, { 'index.html': '<p>' }, { fields: { name: 'gallery' } }));
});
afterAll(() => server[Symbol.asyncDispose]());

const visitorKeys = (args: string[], { person = admin, on = server } = {}) =>
  runHere(['visitor-keys', ...args], {
    env: { CONNECT_SERVER: on.url, CONNECT_API_KEY: person.key, HOME: on.dataDir },
    cwd: on.dataDir,
  });
const said = (text: string) => expect.stringContaining(text) as string;

test('an administrator gives them, everybody who sees the content reads it, and it is taken away', async () => {
  expect(await visitorKeys(['gallery'])).toEqual({
    code: 0,
    stdout: '',
    stderr: 'It does not act for its visitors.\n',
  });
  expect((await visitorKeys(['gallery', '--json'])).stdout).toBe('[]\n');
  expect(await visitorKeys(['gallery', '--role', 'viewer'])).toEqual({
    code: 0,
    stdout: '',
    stderr: 'It may read what its visitors may read.\n',
  });
  const shown = await visitorKeys(['gallery'], { person: owner });
  expect(shown.stdout).toMatch(/^viewer +read what its visitors may read +since \S+Z\n$/);
  const [association] = JSON.parse((await visitorKeys(['gallery', '--json'], { person: owner })).stdout);
  expect(association).toMatchObject({ app_guid: guid, oauth_integration_template: 'connect' });
  const all = await visitorKeys(['--all']);
  expect(all.stdout).toMatch(new RegExp(`^CONTENT .*\\ngallery +viewer +\\S+Z +${guid}\\n$`));
  expect(JSON.parse((await visitorKeys(['--all', '--json'])).stdout)).toEqual([association]);
  const removed = await visitorKeys(['gallery', '--remove', '--json']);
  expect([removed.code, JSON.parse(removed.stdout)]).toEqual([0, []]);
  expect(await visitorKeys(['--all'])).toEqual({
    code: 0,
    stdout: '',
    stderr: 'No content acts for its visitors.\n',
  });
});

test('nobody else gives, takes away or lists them: code 22', async () => {
  for (const args of [['gallery', '--role', 'viewer'], ['gallery', '--remove'], ['--all']]) {
    const { code, stderr } = await visitorKeys([...args, '--json'], { person: owner });
    expect([code, JSON.parse(stderr)]).toMatchObject([
      3,
      { code: 22, hint: 'Use the API key of an administrator.' },
    ]);
  }
});

test('a role that the server does not allow is refused with the name of the setting', async () => {
  expect(await visitorKeys(['gallery', '--role', 'publisher'])).toMatchObject({
    code: 2,
    stderr: said('with the role publisher.\nAn administrator of the server changes that'),
  });
  await using off = await startTestServer({ own: true });
  const person = await off.administrator();
  await publish(person, { 'index.html': '<p>' }, { fields: { name: 'gallery' } });
  expect(await visitorKeys(['gallery', '--role', 'viewer'], { person, on: off })).toMatchObject({
    code: 2,
    stderr: said('gives no API keys of visitors.\nAn administrator of the server changes that'),
  });
  expect(await visitorKeys(['gallery'], { person, on: off })).toMatchObject({
    code: 0,
    stderr: said('This server gives no API keys of visitors.'),
  });
  expect(await visitorKeys(['gallery', '--remove'], { person, on: off })).toMatchObject({ code: 0 });
  expect((await visitorKeys(['--all', '--json'], { person, on: off })).stdout).toBe('[]\n');
});

test('--all and --remove stand alone', async () => {
  expect(await visitorKeys(['--remove', '--role', 'viewer'])).toMatchObject({
    code: 2,
    stderr: said('--remove'),
  });
  expect(await visitorKeys(['gallery', '--all'])).toMatchObject({
    code: 2,
    stderr: said('takes no content'),
  });
});
