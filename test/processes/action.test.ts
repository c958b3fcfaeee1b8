// Covers the scripts of action.yml and docs/publish/gitlab.yml as GitHub and GitLab runners start them, with a real server.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import {
  builtProgram,
  COMPILE_CACHE,
  ownAddress,
  publish,
  startCi,
  startTestServer,
  type Person,
  type TestCi,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: {
    readonly steps: readonly { readonly run: string; readonly env: Record<string, string> }[];
  };
}

const ROOT = join(import.meta.dirname, '../..');

let action: Action;
let command: string;
let ci: TestCi;
let server: TestServer;
let owner: Person;
let home: string;
let dir: string;
beforeAll(async () => {
  action = parse(await readFile(join(ROOT, 'action.yml'), 'utf8')) as Action;
  command = `${process.execPath} ${await builtProgram('pressroom')}`;
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

/** Starts bash as both runners do. */
async function runBash(script: string, env: NodeJS.ProcessEnv, cwd: string) {
  const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
  const { promise, resolve } = Promise.withResolvers<{ code: number; log: string }>();
  execFile('bash', args, { env, cwd }, (error, stdout, stderr) =>
    resolve({ code: error === null ? 0 : Number(error.code), log: stdout + stderr }),
  );
  return promise;
}

/** Runs the step with the variables that the runner derives from inputs and event. */
async function runStep(guid: string, event: string, more: Record<string, string> = {}) {
  const [step] = action.runs.steps;
  const temp = await mkdtemp(join(home, 'runner-'));
  const own = {
    CONNECT_SERVER: server.url,
    CONNECT_API_KEY: '',
    DIRECTORY: dir,
    GUID: guid,
    PRESSROOM: command,
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
  const env = { ...COMPILE_CACHE, PATH: process.env['PATH'], HOME: home, ...github, ...files, ...own };
  const { code } = await runBash(step!.run, env, home);
  const read = (file: string) => readFile(file, 'utf8').catch(() => '');
  return { code, output: await read(files.GITHUB_OUTPUT), summary: await read(files.GITHUB_STEP_SUMMARY) };
}

test('a pull request gets a preview that is deleted with it, and failures are reported', async () => {
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

test('the inputs are those that the steps read', () => {
  const text = JSON.stringify(action.runs);
  const read = [...text.matchAll(/inputs\.([\w-]+)/g)].map((match) => match[1]!);
  expect(new Set(read)).toEqual(new Set(Object.keys(action.inputs)));
});

describe('Template for GitLab', () => {
  const TOKEN = 'glpat-of-the-project';
  const OWN_ID = 7;
  interface Job {
    readonly script?: readonly string[];
    readonly variables?: Readonly<Record<string, string>>;
    readonly extends?: string;
  }
  interface Note {
    readonly id: number;
    body: string;
    readonly author: { readonly id: number };
  }

  let inputs: Readonly<Record<string, { readonly default?: string }>>;
  let text: string;
  let notes: Note[];
  let gitlab: string;
  let refuses = false;
  // GitLab's API for notes: two per page, the newest first.
  const api = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
    const send = (body: unknown) => response.end(JSON.stringify(body));
    const list = '/api/v4/projects/12/merge_requests/3/notes';
    if (refuses || request.headers.authorization !== `Bearer ${TOKEN}`)
      return response.writeHead(403).end(TOKEN);
    if (pathname === '/api/v4/user') return send({ id: OWN_ID });
    if (request.method === 'GET' && pathname === list) {
      const from = (Number(searchParams.get('page')) - 1) * 2;
      if (from + 2 < notes.length) response.setHeader('x-next-page', from / 2 + 2);
      return send(notes.toReversed().slice(from, from + 2));
    }
    return void json(request).then((sent) => {
      const { body } = sent as { body: string };
      if (request.method === 'POST' && pathname === list) {
        notes.push({ id: notes.length + 1, body, author: { id: OWN_ID } });
        return send({});
      }
      const note = notes.find(({ id }) => pathname === `${list}/${id}`);
      if (request.method !== 'PUT' || note?.author.id !== OWN_ID) return response.writeHead(404).end();
      note.body = body;
      return send({});
    });
  });
  beforeAll(async () => {
    text = await readFile(join(ROOT, 'docs/publish/gitlab.yml'), 'utf8');
    ({ inputs } = (parseAllDocuments(text)[0]!.toJS() as { spec: { inputs: typeof inputs } }).spec);
    api.listen(0, '127.0.0.1');
    await once(api, 'listening');
    gitlab = `http://127.0.0.1:${(api.address() as AddressInfo).port}/api/v4`;
  });
  afterAll(() => {
    api.closeAllConnections();
    api.close();
  });

  /** Returns the jobs with their inputs filled in as GitLab does. */
  function jobs(given: Readonly<Record<string, string>>): Record<string, Job> {
    const filled = text.replaceAll(
      /\$\[\[ inputs\.(\w+) \]\]/g,
      (_, name: string) => given[name] ?? inputs[name]!.default!,
    );
    return parseAllDocuments(filled)[1]!.toJS() as Record<string, Job>;
  }

  async function runJob(name: string, guid: string, more: Record<string, string> = {}) {
    const given = { server: server.url, directory: dir, guid, command };
    const all = jobs(given);
    const job = all[name]!;
    const cwd = await mkdtemp(join(home, 'job-'));
    const env = {
      ...COMPILE_CACHE,
      PATH: process.env['PATH'],
      HOME: home,
      ...all[job.extends!]!.variables,
      PRESSROOM_ID_TOKEN: await ci.token(server.url),
      CI_JOB_NAME: name,
      CI_API_V4_URL: gitlab,
      CI_MERGE_REQUEST_IID: '3',
      CI_MERGE_REQUEST_PROJECT_ID: '12',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'feature/sales',
      ...more,
    };
    const { code, log } = await runBash(job.script!.join('\n'), env, cwd);
    expect(log).not.toContain(TOKEN);
    const url = await readFile(join(cwd, 'pressroom.env'), 'utf8').catch(() => '');
    return { code, log, url: url.trim().replace('PRESSROOM_URL=', '') };
  }

  test('a merge request gets a preview and one updated comment, or none without a token', async () => {
    const { guid } = await publish(owner, { 'index.html': '<p>live' });
    const likeIt = '<!-- pressroom: pressroom-preview -->\n\nof somebody else';
    notes = [1, 2, 3].map((id) => ({ id, body: likeIt, author: { id: 8 } }));
    const withToken = { PRESSROOM_GITLAB_TOKEN: TOKEN };
    const untrusted = await runJob('pressroom-preview', guid, withToken);
    expect(untrusted).toMatchObject({ code: 3, url: '' });
    expect(notes).toHaveLength(4);
    expect(notes[3]!.body).toMatch(/^<!-- .* -->\n\n\*\*The deploy failed\.\*\*\n[^]*no trusted publisher/);
    notes.push({ id: 5, body: 'Looks good', author: { id: 8 } }, { id: 6, body: 'Yes', author: { id: 8 } });

    const trusted = { issuer: ci.issuer, repository: 'acme/reports', drafts_only: true };
    await owner.call('POST', `/v1/content/${guid}/trusted-publishers`, { body: trusted });
    const url = `${server.url}/content/${guid}/_preview/feature-sales/`;
    expect(await runJob('pressroom-preview', guid, withToken)).toMatchObject({ code: 0, url });
    expect(notes).toHaveLength(6);
    const { body } = notes[3]!;
    expect(body).toContain(`**[${url}](${url})**\n`);
    expect(body).toContain('      changed  index.html (+1 -1)\n');
    expect(body).toMatch(/<summary>Log<\/summary>\n\n[^]* {4}Deploying bundle \d+, task/);
    expect(JSON.stringify(notes)).not.toContain(TOKEN);
    // Other lines are indented: GitLab would run a line that starts with /merge as a quick action.
    expect(body.split('\n').filter((line) => !/^( {4}|<|\*\*|$)/.test(line))).toEqual([]);

    const silent = await runJob('pressroom-preview', guid);
    expect(silent).toMatchObject({ code: 0, url });
    expect(silent.log).toContain('No comment: PRESSROOM_GITLAB_TOKEN is not set.');
    refuses = true;
    const refused = await runJob('pressroom-preview', guid, withToken);
    expect(refused).toMatchObject({ code: 0, url });
    expect(refused.log).toContain('GitLab refused the comment with 403.');

    const broken = await runJob('pressroom-preview', guid, { PRESSROOM_GITLAB_TOKEN: `${TOKEN}\n${TOKEN}` });
    expect(broken).toMatchObject({ code: 0, url });
    expect(broken.log).toContain('PRESSROOM_GITLAB_TOKEN is not a token.');

    expect(await runJob('pressroom-remove', guid)).toMatchObject({ code: 0 });
    expect((await owner.call('GET', `/v1/content/${guid}/drafts`)).body).toEqual([]);
  });

  test('the default branch goes live', async () => {
    const { guid } = await publish(owner, { 'index.html': '<p>live' });
    const trusted = { issuer: ci.issuer, repository: 'acme/reports', branch: 'main' };
    await owner.call('POST', `/v1/content/${guid}/trusted-publishers`, { body: trusted });
    const url = `${server.url}/content/${guid}/`;
    expect(await runJob('pressroom-live', guid)).toMatchObject({ code: 0, url });
    expect((await owner.call('GET', `//content/${guid}/`)).bytes.toString()).toBe('<p>one');
  });

  test('is valid YAML, and its inputs are those that it reads', () => {
    expect(parseAllDocuments(text).flatMap(({ errors }) => errors)).toEqual([]);
    const read = [...text.matchAll(/inputs\.(\w+)/g)].map((match) => match[1]!);
    expect(new Set(read)).toEqual(new Set(Object.keys(inputs)));
  });
});
