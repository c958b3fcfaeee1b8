// action.yml: what its first step does on a runner of GitHub, against a real server.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ownAddress,
  publish,
  startCi,
  startTestServer,
  type Person,
  type TestCi,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: {
    readonly steps: readonly { readonly run: string; readonly env: Record<string, string> }[];
  };
}

const ROOT = join(import.meta.dirname, '../..');
const COMMAND = `${process.execPath} ${join(ROOT, 'packages/cli/src/main.ts')}`;

let action: Action;
let ci: TestCi;
let server: TestServer;
let owner: Person;
let home: string;
let dir: string;
beforeAll(async () => {
  action = parse(await readFile(join(ROOT, 'action.yml'), 'utf8')) as Action;
  ci = await startCi();
  const { settings } = await ownAddress();
  server = await startTestServer({ settings: { ...settings, 'CI.Issuers': ci.issuer } });
  owner = await server.person('publisher');
  home = await mkdtemp(join(tmpdir(), 'pressroom-action-'));
  dir = join(home, 'site');
  await mkdir(dir);
  await writeFile(join(dir, 'index.html'), '<p>one');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await ci[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});

/** Runs the step with the variables that the runner makes of inputs and event. */
async function runStep(guid: string, event: string, more: Record<string, string> = {}) {
  const [step] = action.runs.steps;
  const temp = await mkdtemp(join(home, 'runner-'));
  const own = {
    CONNECT_SERVER: server.url,
    CONNECT_API_KEY: '',
    DIRECTORY: dir,
    GUID: guid,
    PRESSROOM: COMMAND,
    EVENT: event,
    ACTION: '',
    ...more,
  };
  expect(Object.keys(own)).toEqual(expect.arrayContaining(Object.keys(step!.env)));
  const files = {
    GITHUB_OUTPUT: join(temp, 'output'),
    GITHUB_STEP_SUMMARY: join(temp, 'summary'),
    RUNNER_TEMP: temp,
  };
  const github = ci.env({ ref: 'refs/pull/7/merge' });
  const env = { PATH: process.env['PATH'], HOME: home, ...github, ...files, ...own };
  // As GitHub starts `shell: bash`.
  const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step!.run];
  const { promise, resolve } = Promise.withResolvers<number>();
  execFile('bash', args, { env, cwd: home }, (error) => resolve(error === null ? 0 : Number(error.code)));
  const code = await promise;
  const read = (file: string) => readFile(file, 'utf8').catch(() => '');
  return { code, output: await read(files.GITHUB_OUTPUT), summary: await read(files.GITHUB_STEP_SUMMARY) };
}

test('a pull request has a preview, which goes with it; a failure is told', async () => {
  const { guid } = await publish(owner, { 'index.html': '<p>live' });
  const untrusted = await runStep(guid, 'pull_request', { GITHUB_HEAD_REF: 'feature' });
  expect(untrusted).toMatchObject({
    code: 3,
    output: 'url=\n',
    summary: expect.stringMatching(/^\*\*The deploy failed\.\*\*\n\n<details>[^]*no trusted publisher/),
  });
  await owner.call('POST', `/v1/content/${guid}/trusted-publishers`, {
    body: { issuer: ci.issuer, repository: 'acme/reports', drafts_only: true },
  });
  const url = `${server.url}/content/${guid}/_preview/feature/`;
  const preview = await runStep(guid, 'pull_request', { GITHUB_HEAD_REF: 'feature' });
  expect(preview).toMatchObject({
    code: 0,
    output: `url=${url}\n`,
    summary: expect.stringContaining(`**[${url}](${url})**`),
  });
  expect(preview.summary).toContain('      changed  index.html (+1 -1)\n');
  expect((await owner.call('GET', `//${new URL(url).pathname.slice(1)}`)).bytes.toString()).toBe('<p>one');
  const closed = await runStep(guid, 'pull_request', { GITHUB_HEAD_REF: 'feature', ACTION: 'closed' });
  expect(closed).toMatchObject({ code: 0, output: '' });
  expect((await owner.call('GET', `/v1/content/${guid}/drafts`)).body).toEqual([]);
});

test('its inputs have what the steps read', () => {
  const text = JSON.stringify(action.runs);
  const read = [...text.matchAll(/inputs\.([\w-]+)/g)].map((match) => match[1]!);
  expect(new Set(read)).toEqual(new Set(Object.keys(action.inputs)));
});
