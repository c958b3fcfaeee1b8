// Covers a German channel: why a draft ended, a release was withdrawn, or a canary ended stands there in German.
import { finishedTask, publish as publishAs, upload, type Person } from '@pressroom/testkit';
import type { DoubleUser } from '@pressroom/testkit/slack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeWorld, publish, textOf, told, type World } from './world.ts';

let world: World;
let owner: Person;
let user: DoubleUser;

beforeAll(async () => {
  world = await makeWorld({ rates: false, config: { language: 'de' } });
  owner = await world.server.person('publisher');
  user = await world.linked(owner);
});
afterAll(() => world[Symbol.asyncDispose]());

type End = (guid: string, bundle: string) => Promise<unknown>;
const settled = async () => {
  await told(world);
  await world.bot.idle();
};
async function deployed(guid: string, body: object): Promise<string> {
  const bundle_id = await upload(owner, guid, { 'index.html': `<p>${crypto.randomUUID()}</p>` });
  const { task_id } = (
    await owner.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id, ...body } })
  ).body;
  if (task_id !== undefined) await owner.call('GET', `/v1/tasks/${task_id}?wait=20`);
  await settled();
  return bundle_id;
}
const asDraft = { activate: false, preview: 'branch' };
const messageOf = (bundle: string) =>
  world.slack.until(() =>
    world.slack.inChannel(world.channel).find(({ text }) => text.includes(` ${bundle} `)),
  );

const deleteBundle: End = (guid, bundle) => owner.call('DELETE', `/v1/content/${guid}/bundles/${bundle}`);
const deleteContent: End = (guid) => owner.call('DELETE', `/v1/content/${guid}`);

test.each<[string, string, End]>([
  [
    'discarded',
    'verworfen von publisher',
    (guid, id) => owner.call('DELETE', `/v1/content/${guid}/drafts/${id}`),
  ],
  ['replaced', 'ein anderes Bundle ist jetzt diese Vorschau', (guid) => deployed(guid, asDraft)],
  ['bundle-gone', 'das Bundle wurde gelöscht', deleteBundle],
  ['content-gone', 'der Inhalt wurde gelöscht', deleteContent],
])('why a draft ended: %s', async (name, reason, end) => {
  const { guid } = await publish(owner, name);
  await world.say(user, `subscribe ${name}`);
  const bundle = await deployed(guid, asDraft);
  const message = await messageOf(bundle);
  await end(guid, bundle);
  await settled();
  expect(textOf(message)).toMatch(new RegExp(`Der Entwurf endete: ${reason}`));
});

test.each<[string, string, End]>([
  ['newer', 'ein anderes Bundle soll freigegeben werden', (guid) => deployed(guid, {})],
  [
    'rule',
    'es braucht keine Freigabe mehr',
    (guid) => owner.call('DELETE', `/v1/content/${guid}/approval-rule`),
  ],
])('why a release was withdrawn: %s', async (name, reason, end) => {
  const { guid } = await publish(owner, name);
  await world.say(user, `subscribe ${name}`);
  await owner.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } });
  const bundle = await deployed(guid, {});
  const message = await messageOf(bundle);
  await end(guid, bundle);
  await settled();
  expect(textOf(message)).toMatch(new RegExp(`hat die Freigabe zurückgezogen: ${reason}`));
});

const API = { appmode: 'python-api', entrypoint: 'app:app' };
const app = (status: string) => ({
  'app.py': `def app(environ, start):\n    start("${status}", [("Content-Type", "text/plain")])\n    return [b"x"]\n`,
});

test.each<[string, RegExp, string, End]>([
  [
    'stopped',
    /Zurückgenommen: Entscheidung von publisher\S*: too slow/,
    '200 OK',
    (guid) => owner.call('POST', `/v1/content/${guid}/canary/back`, { body: { reason: 'too slow' } }),
  ],
  [
    'failing',
    /Zurückgenommen: von seinen Anfragen schlugen mehr fehl als beim Live-Bundle/,
    '500 Failed',
    async (guid) => {
      const state = async () => (await owner.call('GET', `/v1/content/${guid}/canary`)).body.state;
      while ((await state()) === 'running') await world.server.anonymous('GET', `//content/${guid}/`);
    },
  ],
])('why a canary was rolled back: %s', async (name, reason, status, end) => {
  const { guid } = await publishAs(owner, app('200 OK'), { metadata: API, fields: { name } });
  await world.say(user, `subscribe ${name}`);
  const bundle_id = await upload(owner, guid, app(status), API);
  const body = { bundle_id, canary: { share: 50 } };
  const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`, { body })).body;
  await finishedTask(owner, task_id);
  await settled();
  const { ts } = await messageOf(bundle_id);
  await end(guid, bundle_id);
  await settled();
  const shown = () => world.slack.inChannel(world.channel).find((one) => one.ts === ts);
  await expect.poll(() => textOf(shown() ?? { text: '', blocks: [] })).toMatch(reason);
});
