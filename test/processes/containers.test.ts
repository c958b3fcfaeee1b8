// Covers content in containers of a real Docker Engine, configured by settings only, with a server started by root.
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '@pressroom/server';
import {
  COMPILE_CACHE,
  finishedTask,
  firstAdministrator,
  publish,
  startGitServer,
  startServerProcess,
  type ListeningProcess,
  type Person,
  type Published,
} from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkContainers } from '../../packages/server/src/main/doctor/check-containers.ts';
import { starterOptions } from '../../packages/server/src/main/starter-options.ts';
import { systemIds } from '../../packages/server/src/platform/clock.ts';
import { makeRepository, makeWheel } from '../../packages/server/src/runtime/restore/testing.ts';
import { accountOfContent } from '../../packages/server/src/runtime/sandbox/accounts.ts';
import { createStarter } from '../../packages/server/src/runtime/sandbox/create-starter.ts';
import { openOwnEngine, type OwnEngine } from '../container/engine.ts';
import { ASGI, asgi } from '../runtime/python-content.ts';
import { visit } from '../runtime/shiny-client.ts';
import { pythonImage, rImage, shellImage } from './container-images.ts';

const PYTHON = 'pressroom-test-python:made';
const R = 'pressroom-test-r:made';
const EMPTY = 'pressroom-test-empty';
const MEBIBYTES = 512;

const API = `
import os, pwd, socket, subprocess, sys
from fastapi import FastAPI
import made

app = FastAPI()

def tried(action):
    try:
        return action() or "done"
    except OSError as error:
        return type(error).__name__ + " " + str(error.errno)

@app.get("/")
def look(secret: str = "/"):
    status = dict(line.split(":\\t", 1) for line in open("/proc/self/status") if ":\\t" in line)
    open("kept", "w").close()
    user = pwd.getpwuid(os.getuid())
    return {
        "package": made.VERSION,
        "account": [user.pw_name, user.pw_uid, user.pw_dir],
        "capabilities": {status[name].strip() for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")},
        "flags": [status[name].strip() for name in ("NoNewPrivs", "Seccomp")],
        "volume": [line.split()[2] for line in open("/proc/mounts") if line.split()[1] == "/data"],
        "root": tried(lambda: open("/new", "w")),
        "interfaces": [name for _, name in socket.if_nameindex()],
        "processes": sum(name.isdigit() for name in os.listdir("/proc")),
        "other": os.path.exists(secret),
        "server": os.path.exists(os.path.join(os.getcwd(), "../../../pressroom.sqlite")),
    }

@app.get("/fork")
def fork():
    children = []
    try:
        while len(children) < 1000:
            children.append(subprocess.Popen(["sleep", "60"]))
    except OSError as error:
        return {"children": len(children), "error": type(error).__name__}
    finally:
        for child in children:
            child.kill()
            child.wait()

@app.get("/hog")
def hog():
    return len(bytearray(${2 * MEBIBYTES} * 2 ** 20).replace(b"\\0", b"x"))
`;
const FASTAPI = { appmode: 'python-fastapi', entrypoint: 'app:app' };
const SHINY = `
library(shiny)
shinyApp(fluidPage(numericInput("n", "n", 1), textOutput("out")), function(input, output) {
  output$out <- renderText(paste("twice", input$n * 2, "by", rmade::version()))
})
`;
const DOCUMENT = '---\ntitle: Sum\noutput: html_fragment\n---\n\n`r 6 * 7` in all, of R `r getRversion()`\n';

let directory: string;
let engine: OwnEngine;
let settings: Record<string, string>;
/** Environment variables for a second program with the same settings. */
let environment: Record<string, string>;
let server: ListeningProcess;
let owner: Person;
let api: Published;
let app: Published;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pressroom-containers-'));
  chmodSync(directory, 0o755);
  engine = await openOwnEngine();
  pythonImage(engine.host, PYTHON);
  await rImage(engine.host, R);
  shellImage(engine.host, EMPTY);
  await makeWheel(directory, 'made', '1.5');
  await makeRepository(directory, [{ name: 'rmade' }]);
  mkdirSync(join(directory, 'data'));
  settings = {
    PRESSROOM_APPLICATIONS_EXECUTOR: 'docker',
    PRESSROOM_DOCKER_HOST: engine.host,
    PRESSROOM_DOCKER_IMAGES: `${PYTHON},${R}`,
    PRESSROOM_APPLICATIONS_NETWORKACCESS: 'false',
    // Network for the installation of packages. The test's engine has no bridge.
    PRESSROOM_DOCKER_NETWORK: 'host',
    PRESSROOM_APPLICATIONS_MEMORYLIMIT: String(MEBIBYTES * 2 ** 20),
    PRESSROOM_APPLICATIONS_PROCESSLIMIT: '64',
    // More than the machine has.
    PRESSROOM_DOCKER_CPULIMIT: '1000',
    PRESSROOM_R_REPOSITORY: join(directory, 'repository'),
    PRESSROOM_PYTHON_FINDLINKS: join(directory, 'wheels'),
    PRESSROOM_APPLICATIONS_GITENABLED: 'true',
    PRESSROOM_GIT_PRIVATEHOSTS: '127.0.0.1',
    PRESSROOM_ISOLATION_MODE: 'required',
    PRESSROOM_SCHEDULER_IDLETIMEOUT: '600',
  };
  environment = {
    ...COMPILE_CACHE,
    ...settings,
    PATH: process.env.PATH ?? '',
    PRESSROOM_SERVER_DATADIR: join(directory, 'other'),
  };
  server = await start();
  owner = await firstAdministrator(() => server.url);
});
afterAll(async () => {
  await server?.stop('SIGTERM');
  await engine?.[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const start = () => startServerProcess(join(directory, 'data'), settings);
const containers = async (...options: string[]) =>
  (await engine.run('ps', '--quiet', ...options)).split('\n').filter(Boolean);
const get = async (path: string) => (await owner.call('GET', `${api.path}${path}`)).body;
const jobsOf = async ({ guid }: Published) => (await owner.call('GET', `/v1/content/${guid}/jobs`)).body;
/** Returns the outcome of the last process that ended. */
const outcomeOf = async (content: Published) =>
  (await jobsOf(content)).find(({ outcome }: { outcome: string | null }) => outcome !== null)?.outcome;
/** The directory with its files. */
const siteOf = ({ guid }: Published) => globSync(join(directory, 'data/content', guid, '*'))[0]!;
const statusOf = async () => (await owner.call('GET', api.path)).status;

test('an API runs in a container with its restored packages, isolated from everything else', async () => {
  const files = { 'app.py': API, 'requirements.txt': 'made==1.5\n' };
  api = await publish(owner, files, { metadata: FASTAPI });
  expect(api.task.output.join('\n')).toMatch(/Successfully installed made-1\.5(.|\n)*Activated/);
  const page = await publish(owner, { 'index.html': 'secret' });
  expect(await get(`?secret=${join(directory, 'data/content', page.guid)}`)).toEqual({
    package: '1.5',
    account: ['content', accountOfContent(api.guid).uid, '/home/content'],
    capabilities: ['0000000000000000'],
    flags: ['1', '2'],
    // Volumes declared by the image use no space on the engine's disk.
    volume: ['tmpfs'],
    root: 'OSError 30',
    interfaces: ['lo'],
    processes: 3,
    other: false,
    server: false,
  });
  expect(await engine.run('volume', 'ls', '--quiet')).toBe('');
  // An engine need not see more of the machine, as where the server itself runs in a container.
  const sources = await engine.run(
    'inspect',
    '--format={{range .Mounts}}{{println .Source}}{{end}}',
    ...(await containers()),
  );
  // The directory of processes is wherever the server has its temporary files.
  const isSeen = (source: string) =>
    source.startsWith(join(directory, 'data/')) || /^\/(?:[\w.-]+\/)*pressroom-0-[0-9a-f]{12}\//.test(source);
  expect(sources.split('\n').filter((source) => !isSeen(source))).toEqual([]);
});

test('a process that exhausts its memory ends with a log entry, and is replaced', async () => {
  expect((await owner.call('GET', `${api.path}hog`)).status).toBe(502);
  await expect.poll(() => outcomeOf(api)).toBe(`ran out of memory (limit ${MEBIBYTES} MiB)`);
  expect(await statusOf()).toBe(200);
});

test('content has an account of its own, and leaves what the kernel has for an account to the others', async () => {
  const take = `import ctypes
take = ctypes.CDLL(None).inotify_init
taken = 0
while taken < limit and take() >= 0: taken += 1
answer = [os.getuid(), taken > 0]`;
  const files = asgi({ '/all': `limit = 10_000\n${take}`, '/one': `limit = 1\n${take}` });
  const [greedy, modest] = [
    await publish(owner, files, { metadata: ASGI }),
    await publish(owner, files, { metadata: ASGI }),
  ];
  const ask = async ({ guid, path }: Published, what: string) => {
    expect((await owner.call('GET', `${path}${what}`)).body).toEqual([accountOfContent(guid).uid, true]);
  };
  await ask(greedy, 'all');
  await ask(modest, 'one');
  const { uid, gid, mode } = statSync(siteOf(greedy));
  expect([uid, mode & 0o777]).toEqual([accountOfContent(greedy.guid).uid, 0o750]);
  expect(gid).toBe(statSync(join(directory, 'data')).gid);
});

test('the number of processes is limited', async () => {
  const { children, error } = await get('fork');
  expect(error).toBe('BlockingIOError');
  expect(children).toBeGreaterThan(20);
  expect(children).toBeLessThan(64);
});

/** Opens a session of the Shiny application. */
async function enter() {
  const visitor = await visit(`${server.url}/content/${app.guid}/`);
  if (visitor.socket === null) throw new Error(`refused with ${visitor.status}`);
  return visitor;
}

test('a Shiny application has a session and a package installed in a container', async () => {
  const packages = { rmade: { Source: 'CRAN', description: { Package: 'rmade', Version: '1.0' } } };
  const manifest = { version: 1, platform: '4.2.0', metadata: { appmode: 'shiny' }, packages, files: {} };
  app = await publish(owner, { 'app.R': SHINY, 'manifest.json': JSON.stringify(manifest) });
  expect(app.task.output.join('\n')).toMatch(
    /R version 4\.2\.0; using .*R of \S+-r:made which(.|\n)*Installing rmade(.|\n)*Activated/,
  );
  const visitor = await enter();
  visitor.set({ n: 21 });
  await visitor.until((values) => String(values.out) === 'twice 42 by rmade 1.0');
  visitor.socket.close();
});

test('renders R Markdown in a container', async () => {
  const metadata = { appmode: 'rmd-static', primary_rmd: 'index.Rmd' };
  const { task, path } = await publish(owner, { 'index.Rmd': DOCUMENT }, { metadata });
  expect(task).toMatchObject({ code: 0 });
  expect(String((await owner.call('GET', path)).bytes)).toContain('42 in all, of R 4.');
});

test('git runs in a container, and its commits are deployed', async () => {
  await using git = await startGitServer();
  await git.push({ 'index.html': 'of a commit' });
  const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'of-git', access_type: 'all' } }))
    .body;
  const body = { repository: git.url, branch: 'main', directory: '.', polling: false };
  expect(await owner.call('PUT', `/v1/content/${guid}/repository`, { body })).toMatchObject({ status: 200 });
  const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`, { body: {} })).body;
  expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0 });
  expect(String((await owner.call('GET', `//content/${guid}/`)).bytes)).toBe('of a commit');
});

test('server settings list the versions of the images', async () => {
  const python = (await owner.call('GET', '/v1/server_settings/python')).body;
  expect(python.installations).toEqual([
    {
      version: expect.stringMatching(/^3\.\d+\.\d+$/),
      cluster_name: 'Local',
      image_name: PYTHON,
      publishable: true,
    },
  ]);
  const r = (await owner.call('GET', '/v1/server_settings/r')).body;
  expect(r.installations).toEqual([{ version: expect.stringMatching(/^4\.\d+\.\d+$/) }]);
});

test('content that needs a port of the machine fails and names the settings', async () => {
  const metadata = { appmode: 'program', entrypoint: 'sleep 60' };
  const { task } = await publish(owner, { 'run.sh': '' }, { metadata });
  expect(task.error).toContain('Docker.Network = host');
});

test('when the engine is killed, processes count as lost and are replaced afterwards', async () => {
  expect(await statusOf()).toBe(200);
  const { socket } = await enter();
  const told = once(socket, 'close');
  await engine.stop('SIGKILL');
  await expect.poll(() => outcomeOf(api)).toMatch(/^was lost: the container engine at .* \(Docker\.Host\)$/);
  expect(await statusOf()).toBe(503);
  expect((await owner.call('GET', '/v1/user')).status).toBe(200);
  await engine.start();
  // Its container outlived the engine, and is removed once the engine is back.
  await told;
  await expect.poll(statusOf).toBe(200);
  // None of the earlier containers is left.
  await expect.poll(() => containers('--all')).toHaveLength(1);
});

test('a deploy waits while the engine is stopped and started again', async () => {
  await engine.stop('SIGTERM');
  await expect.poll(() => outcomeOf(api)).toBeTruthy();
  // The deploy waits for the engine.
  const { task_id } = (await owner.call('POST', `/v1/content/${api.guid}/deploy`)).body;
  const taskOf = async () => (await owner.call('GET', `/v1/tasks/${task_id}?wait=1`)).body;
  await expect.poll(async () => (await taskOf()).output.join('\n')).toMatch(/does not respond.*Trying again/);
  await engine.start();
  await expect.poll(taskOf).toMatchObject({ finished: true, code: 0 });
  await expect.poll(statusOf).toBe(200);
});

test('containers end with a killed server, and the next start leaves none', async () => {
  expect(await containers()).toHaveLength(1);
  // A paused container does not react when the server is killed.
  await engine.run('pause', ...(await containers()));
  await server.stop('SIGKILL');
  expect(await containers()).toHaveLength(1);
  server = await start();
  expect(await containers('--all')).toEqual([]);
  expect(await statusOf()).toBe(200);
  await server.stop('SIGKILL');
  await expect.poll(() => containers()).toEqual([]);
});

test('content continues to run after its image was rebuilt under the same name', async () => {
  const script = `FROM ${PYTHON}\nLABEL made=again\n`;
  execFileSync('docker', ['--host', engine.host, 'build', '--quiet', '--tag', PYTHON, '-'], {
    input: script,
    env: { ...process.env, DOCKER_BUILDKIT: '0' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  server = await start();
  expect(await containers('--all')).toEqual([]);
  expect(await get('')).toMatchObject({ package: '1.5' });
  const [{ key }] = await jobsOf(api);
  const { entries } = (await owner.call('GET', `/v1/content/${api.guid}/jobs/${key}/log`)).body;
  expect(entries.map(({ data }: { data: string }) => data)).toContain('Restoring missing packages...');
});

test.each<[string, Record<string, string>, RegExp]>([
  ['an image', { PRESSROOM_DOCKER_IMAGES: 'none:1' }, /Docker\.Images: none:1 .*No such image: none:1/],
  ['its network', { PRESSROOM_DOCKER_NETWORK: 'nowhere' }, /Docker\.Network: .*network nowhere not found/],
  ['R or Python', { PRESSROOM_DOCKER_IMAGES: EMPTY }, /neither R nor Python nor Node\.js on its PATH/],
])('startup fails without %s, and names the setting and the engine’s response', async (_what, wrong, why) => {
  const options = starterOptions(loadConfig({ ...environment, ...wrong }), undefined, systemIds());
  await expect(createStarter({ ...options, isAlone: false })).rejects.toThrow(why);
});

test('startup fails without an engine, and names the setting', async () => {
  const env = { ...environment, PRESSROOM_DOCKER_HOST: 'unix:///nowhere/docker.sock' };
  const program = join(import.meta.dirname, '../../packages/server/src/main/serve.ts');
  const started = promisify(execFile)(process.execPath, [program], { env });
  await expect(started).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/did not start: .*unix:\/\/\/nowhere.*ENOENT.*\(Docker\.Host\)/),
  });
});

test('the doctor reports what the engine and its images have and lack', async () => {
  const findings = await checkContainers(loadConfig(environment));
  const said = findings.map(({ state, what, message }) => `${state} ${what}: ${message}`);
  expect(said).toContainEqual(expect.stringContaining(`good Image ${PYTHON}: Python 3.`));
  expect(said).toContain(`warning Image ${PYTHON}: lacks gunicorn, ipykernel, nbconvert`);
  expect(said.join('\n')).toContain('good Isolation: containers have no capabilities');
  expect(findings.filter(({ state }) => state === 'bad')).toEqual([]);
  const remedies = findings.map(({ remedy }) => remedy);
  expect(remedies).toContainEqual(expect.stringContaining('are installed with the packages of content'));
  const withoutGit = await checkContainers(loadConfig({ ...environment, PRESSROOM_DOCKER_IMAGES: R }));
  expect(withoutGit).toContainEqual(expect.objectContaining({ state: 'bad', what: 'Git' }));
});

test('after its image was removed, deploys and logs of processes name it', async () => {
  await engine.run('rm', '--force', ...(await containers()));
  await engine.run('image', 'rm', PYTHON);
  await expect.poll(statusOf).toBe(502);
  const gone = `the engine no longer has ${PYTHON} as it was when this server started`;
  const [{ key }] = await jobsOf(api);
  const { entries } = (await owner.call('GET', `/v1/content/${api.guid}/jobs/${key}/log`)).body;
  expect(entries.at(-1).data).toContain(`Could not be launched: ${gone}`);
  const files = { 'app.py': API, 'requirements.txt': 'made\n' };
  const { task } = await publish(owner, files, { metadata: FASTAPI });
  expect(task.error).toContain(`a process could not be started: ${gone}`);
  const { findings } = (await owner.call('POST', '/v1/servers/examine')).body;
  const ofEngine = findings.filter(({ name }: { name: string }) => name === 'Container engine');
  expect(ofEngine).toMatchObject([
    { state: 'bad', message: expect.stringContaining(gone) },
    { state: 'good', message: `a container of ${R} starts` },
  ]);
});
