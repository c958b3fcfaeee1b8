// Covers drafts and previews from the command line, with a real server: deployed, listed, made live, discarded.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecords } from '@pressroom/api/publish';
import { grant, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runHere } from '../../packages/cli/src/testing/run-here.ts';

let server: TestServer;
let owner: Person;
let home: string;
let dir: string;
let count = 0;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.person('publisher');
  home = await mkdtemp(join(tmpdir(), 'pressroom-drafts-'));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});
beforeEach(async () => {
  dir = join(home, `site-${(count += 1)}`);
  await mkdir(dir);
});

async function pressroom(args: string[], more: Record<string, string> = {}, person = owner) {
  const env = { PATH: process.env['PATH'], HOME: home, ...more };
  const all = { ...env, CONNECT_SERVER: server.url, CONNECT_API_KEY: person.key };
  const { code, stdout: out, stderr: said } = await runHere(args, { env: all, cwd: home });
  return { code, out: out.trim(), said };
}

const write = (text: string) => writeFile(join(dir, 'index.html'), `<p>${text}`);
const read = async (url: string) => {
  const { status, bytes } = await owner.call('GET', `//${new URL(url).pathname.slice(1)}`);
  return status === 200 ? bytes.toString() : status;
};
const recorded = async () => (await readRecords(dir))[0]!.bundle_id;

test('deploy --draft prints the draft’s address and keeps the live bundle; activate publishes it', async () => {
  await write('one');
  const live = await pressroom(['deploy', dir]);
  expect(live.code).toBe(0);
  const before = await recorded();
  await write('two');
  const draft = await pressroom(['deploy', dir, '--draft']);
  expect(draft.code).toBe(0);
  expect([await read(draft.out), await read(live.out)]).toEqual(['<p>two', '<p>one']);
  expect(await recorded()).toBe(before);
  const [listed] = JSON.parse((await pressroom(['drafts', dir, '--json'])).out);
  expect(listed).toMatchObject({ url: draft.out, preview: null, username: owner.username });
  expect((await pressroom(['drafts', dir])).out).toContain(draft.out);
  expect(draft.said).toContain(`pressroom activate ${listed.bundle_id} --content`);
  const activated = await pressroom(['activate', listed.bundle_id, '--content', dir]);
  expect(activated).toMatchObject({ code: 0, out: '' });
  expect(activated.said).toMatch(/Nothing is built again[^]*Bundle \d+ is live\./);
  expect(await read(live.out)).toBe('<p>two');
  expect(await recorded()).toBe(listed.bundle_id);
});

test('deploy --preview uses the branch name of git or the CI, and keeps its address', async () => {
  for (const args of [
    ['init', '-q'],
    ['checkout', '-q', '-b', 'Feature/Sales'],
  ])
    expect(spawnSync('git', args, { cwd: dir }).status).toBe(0);
  await write('one');
  const first = await pressroom(['deploy', dir, '--preview']);
  expect(first).toMatchObject({ code: 0, out: expect.stringMatching(/\/_preview\/feature-sales\/$/) });
  await write('two');
  const second = await pressroom(['deploy', dir, '--preview'], { GITHUB_HEAD_REF: 'Feature/Sales' });
  expect(second.out).toBe(first.out);
  expect(await read(first.out)).toBe('<p>two');
  const other = await pressroom(['deploy', dir, '--preview-name', 'Other one']);
  expect(other.out).toMatch(/\/_preview\/other-one\/$/);
  const content = ['--content', dir];
  expect((await pressroom(['preview', 'delete', 'Feature/Sales', ...content])).code).toBe(0);
  expect(await read(first.out)).toBe(404);
  const again = await pressroom(['preview', 'delete', 'Feature/Sales', ...content]);
  expect(again).toMatchObject({ code: 2, said: expect.stringContaining('no draft or preview') });
  expect((await pressroom(['preview', 'delete', 'gone', '--if-exists', ...content])).code).toBe(0);
  expect((await pressroom(['activate', 'other-one', ...content])).code).toBe(0);
  expect((await pressroom(['activate', 'other-one', ...content])).code).toBe(2);
});

test('activate takes a number for that of a bundle, also where a preview is called like it', async () => {
  await write('one');
  await pressroom(['deploy', dir]);
  const earlier = (await recorded())!;
  await write('two');
  const live = await pressroom(['deploy', dir]);
  await write('three');
  expect((await pressroom(['deploy', dir, '--preview-name', earlier])).code).toBe(0);
  expect((await pressroom(['activate', earlier, '--content', dir])).code).toBe(0);
  expect(await read(live.out)).toBe('<p>one');
});

test('deploy --preview requires a name when there is no branch', async () => {
  await write('one');
  const { code, said } = await pressroom(['deploy', dir, '--preview']);
  expect([code, said]).toEqual([2, expect.stringContaining('--preview-name')]);
});

test('with an approval rule, deploy leaves the bundle pending, and activate publishes it', async () => {
  const other = await server.person('publisher');
  await write('one');
  await pressroom(['deploy', dir]);
  const { guid } = (await readRecords(dir))[0]!;
  await grant(owner, guid, other, 'owner');
  expect((await pressroom(['approvals', dir])).out).toBe('No approvals are required.');
  expect((await pressroom(['approvals', dir, '--require', 'many'])).code).toBe(2);
  expect((await pressroom(['approvals', dir, '--require', '1'])).out).toBe('Approvals required: 1');
  const named = await pressroom(['approvals', dir, '--by', other.username]);
  expect(named.out).toBe(`Approvals required: 1\nApproved by: ${other.username}`);
  expect((await pressroom(['approvals', dir, '--by', 'nobody.at.all'])).code).toBe(2);
  expect((await pressroom(['approvals', dir, '--by', other.username, '--by-anyone'])).code).toBe(2);
  // A new number keeps the approvers, and reports if they are too few.
  const few = await pressroom(['approvals', dir, '--require', '2']);
  expect(few.out).toMatch(
    new RegExp(
      `required: 2\nApproved by: ${other.username}\nToo few people may approve a bundle of yours \\(1 of 2\\)`,
    ),
  );
  const anyone = await pressroom(['approvals', dir, '--require', '1', '--by-anyone']);
  expect(anyone.out).toBe('Approvals required: 1');
  await pressroom(['approvals', dir, '--by', other.username]);
  await write('two');
  const asJson = await pressroom(['deploy', dir, '--json']);
  const last = JSON.parse(asJson.out.split('\n').at(-1)!);
  expect(last).toMatchObject({
    type: 'failed',
    payload: { release: expect.stringMatching(/^\d+$/), needed: 1 },
  });
  expect(last.hint).toContain(`pressroom approve ${last.payload.release} --content ${guid}`);
  const refused = await pressroom(['deploy', dir]);
  expect(refused.code).toBe(3);
  expect(refused.said).toContain(`can be approved by ${other.username}`);
  expect(refused.said).toContain('needs 1 more approval before it goes live');
  const [, bundle = ''] = /pressroom approve (\d+) --content/.exec(refused.said) ?? [];
  const content = ['--content', guid];
  expect((await pressroom(['releases', guid], {}, other)).out).toContain('0 of 1');
  expect(await pressroom(['approve', bundle, ...content])).toMatchObject({
    code: 3,
    said: expect.stringContaining('--override REASON'),
  });
  expect(await pressroom(['approve', last.payload.release, ...content])).toMatchObject({
    code: 3,
    said: expect.stringMatching(/waits for no approval\nTo list the bundles that wait/),
  });
  expect(await pressroom(['activate', bundle, ...content])).toMatchObject({
    code: 3,
    said: expect.stringContaining(`Others approve it with: pressroom approve ${bundle}`),
  });
  expect(JSON.parse((await pressroom(['activate', bundle, ...content, '--json'])).said)).toMatchObject({
    payload: { release: bundle },
  });
  const approved = await pressroom(['approve', bundle, ...content], {}, other);
  expect(approved.out).toContain(`Bundle ${bundle}: 1 of 1 approvals.`);
  expect((await pressroom(['activate', bundle, ...content], {}, other)).code).toBe(0);
  expect(await read(`${server.url}/content/${guid}/`)).toBe('<p>two');
  await write('three');
  const urgent = /pressroom approve (\d+) /.exec((await pressroom(['deploy', dir])).said)![1]!;
  const overridden = await pressroom(['approve', urgent, '--override', 'It burns', ...content]);
  expect(overridden.out).toContain('pressroom activate');
  expect((await pressroom(['activate', urgent, ...content])).code).toBe(0);
  expect((await pressroom(['approvals', guid, '--remove'])).code).toBe(0);
  expect((await pressroom(['deploy', dir])).code).toBe(0);
});

test('the rule and the refused deploy count the same people: not the author', async () => {
  await write('one');
  await pressroom(['deploy', dir]);
  const ruled = await pressroom(['approvals', dir, '--require', '2']);
  expect(ruled.out).toContain('Too few people may approve a bundle of yours (0 of 2)');
  await write('two');
  expect((await pressroom(['deploy', dir])).said).toContain('too few people may approve it (0 of 2)');
  const { guid } = (await readRecords(dir))[0]!;
  const other = await server.person('publisher');
  await grant(owner, guid, other, 'owner');
  expect((await pressroom(['approvals', dir])).out).toContain('(1 of 2)');
  expect((await pressroom(['deploy', dir])).said).toContain('(1 of 2)');
  // Whose bundle the owner may approve.
  expect((await pressroom(['approvals', guid], {}, other)).out).toContain('(1 of 2)');
});
