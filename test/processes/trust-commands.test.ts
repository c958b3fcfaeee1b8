// Covers `pressroom trust`, and pipelines without a stored key, as on GitHub and GitLab.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecords } from '@pressroom/api/publish';
import {
  ownAddress,
  startCi,
  startTestServer,
  type Person,
  type TestCi,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runHere } from '../../packages/cli/src/testing/run-here.ts';

let ci: TestCi;
let server: TestServer;
let owner: Person;
let home: string;
let dir: string;
let count = 0;
beforeAll(async () => {
  ci = await startCi();
  const { settings } = await ownAddress();
  server = await startTestServer({ settings: { ...settings, 'CI.Issuers': ci.issuer } });
  owner = await server.person('publisher');
  home = await mkdtemp(join(tmpdir(), 'pressroom-trust-'));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await ci[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});
beforeEach(async () => {
  dir = join(home, `site-${(count += 1)}`);
  await mkdir(dir);
  await writeFile(join(dir, 'index.html'), '<p>one');
  await pressroom(['deploy', dir]);
  await writeFile(join(dir, 'index.html'), '<p>two');
});

async function run(args: string[], more: Record<string, string>) {
  const env = { PATH: process.env['PATH'], HOME: home, CONNECT_SERVER: server.url, ...more };
  const { code, stdout, stderr: said } = await runHere(args, { env, cwd: home });
  return { code, out: stdout.trim(), said };
}
const pressroom = (args: string[]) => run(args, { CONNECT_API_KEY: owner.key });
const trusted = (...more: string[]) =>
  pressroom(['trust', dir, '--add', 'acme/reports', '--issuer', ci.issuer, ...more]);
const live = async () => {
  const { guid } = (await readRecords(dir))[0]!;
  return (await owner.call('GET', `//content/${guid}/`)).bytes.toString();
};

test('adds, lists and removes trusted publishers', async () => {
  expect(await trusted('--branch', 'main')).toMatchObject({
    code: 0,
    said: `Trusted publisher 1 (${ci.issuer}): acme/reports, branch main\n`,
  });
  const { out } = await pressroom(['trust', dir]);
  expect(out.split('\n')[1]).toMatch(
    new RegExp(`^1 +${ci.issuer} +acme/reports, branch main +live +\\S+ +never$`),
  );
  const [{ id }] = JSON.parse((await pressroom(['trust', dir, '--json'])).out);
  expect((await pressroom(['trust', dir, '--remove', id])).code).toBe(0);
  expect(JSON.parse((await pressroom(['trust', dir, '--json'])).out)).toEqual([]);
  expect(await trusted()).toMatchObject({
    code: 3,
    said: expect.stringContaining('branch or an environment'),
  });
  expect((await pressroom(['trust', dir, '--add', 'a/b', '--remove', '1'])).code).toBe(2);
});

test('a job on GitHub deploys with its token', async () => {
  await trusted('--branch', 'main');
  const deployed = await run(['deploy', dir], ci.env());
  expect(deployed, deployed.said).toMatchObject({ code: 0 });
  expect(await live()).toBe('<p>two');
});

test('a job on GitLab previews its branch and removes the preview, with a token variable', async () => {
  await trusted('--drafts-only');
  const claims = { ref: 'refs/heads/feature' };
  const job = async () => ({ PRESSROOM_ID_TOKEN: await ci.token(server.url, claims) });
  const preview = await run(['deploy', dir, '--preview-name', 'feature'], await job());
  expect(preview, preview.said).toMatchObject({
    code: 0,
    out: expect.stringContaining('/_preview/feature/'),
  });
  expect(await live()).toBe('<p>one');
  expect(await run(['deploy', dir], await job())).toMatchObject({
    code: 3,
    said: expect.stringContaining('drafts and previews only'),
  });
  expect((await run(['preview', 'delete', 'feature', '--content', dir], await job())).code).toBe(0);
});

test('reports a missing trust, permission or key', async () => {
  expect(await run(['deploy', dir], ci.env())).toMatchObject({
    code: 3,
    said: expect.stringContaining('no trusted publisher of this content matches the pipeline: acme/reports'),
  });
  const denied = { ...ci.env(), ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'none' };
  expect(await run(['deploy', dir], denied)).toMatchObject({
    code: 2,
    said: expect.stringContaining('id-token: write'),
  });
  expect(await run(['deploy', dir], {})).toMatchObject({
    code: 2,
    said: expect.stringMatching(/no API key[^]*pressroom login/),
  });
  for (const [variables, remedy] of [
    [{ GITHUB_ACTIONS: 'true' }, 'id-token: write'],
    [{ GITLAB_CI: 'true' }, 'PRESSROOM_ID_TOKEN in id_tokens'],
    [{ CI: 'true' }, 'Set CONNECT_API_KEY'],
  ] as const)
    expect(await run(['deploy', dir], variables)).toMatchObject({
      code: 2,
      said: expect.stringContaining(remedy),
    });
  await rm(join(dir, '.pressroom'), { recursive: true });
  expect(await run(['deploy', dir], { ...ci.env(), CI: 'true' })).toMatchObject({
    code: 2,
    said: expect.stringContaining('commit .pressroom/'),
  });
});

test.each([
  [
    'is for another server',
    () => ci.token('https://other.example.com'),
    'is for https://other.example.com, not for',
  ],
  ['does not contain a token', () => 'secret', 'is not a token of a CI'],
])('does not send a token variable that %s', async (_what, token, said) => {
  await trusted('--branch', 'main');
  const env = { PRESSROOM_ID_TOKEN: await token() };
  expect(await run(['deploy', dir], env)).toMatchObject({ code: 2, said: expect.stringContaining(said) });
});
