// Processes forked from a prepared one: first byte from zero processes compared with the framework alone, and memory of
// ten compared with ten.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstAdministrator, freePort, publish, startServerProcess, type Person } from '@pressroom/testkit';
import { WebSocket } from 'ws';

const ROUNDS = 5;
const PROCESSES = 10;

interface Framework {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly metadata: Record<string, unknown>;
  /** Script of the prepared process. */
  readonly script: string;
  /** The framework alone, on a port. */
  readonly alone: (directory: string, port: number) => readonly [file: string, ...args: string[]];
  /** Opens a session at an address with a trailing slash: the script runs, and imports its packages, only then. */
  readonly visit?: (url: string) => Promise<WebSocket>;
}

const SHINY = `
library(shiny)
library(ggplot2)
shinyApp(
  fluidPage(sliderInput("n", "n", 1, 100, 50), plotOutput("plot")),
  function(input, output) output$plot <- renderPlot(ggplot(mtcars, aes(wt, mpg)) + geom_point())
)
`;
const STREAMLIT = `
import pandas as pd
import streamlit as st
st.dataframe(pd.DataFrame({"a": range(st.slider("n", 1, 100, 50))}))
`;
const REQUIREMENTS = ['streamlit', 'pandas'];

export async function preparedBench(): Promise<string[]> {
  if (spawnSync('/usr/bin/Rscript', ['-e', 'library(ggplot2)']).status !== 0)
    throw new Error('R has no ggplot2: the benchmark of prepared processes uses it');
  const root = await mkdtemp(join(tmpdir(), 'pressroom-bench-'));
  const python = join(root, 'venv');
  execFileSync('/usr/bin/python3', ['-m', 'venv', python]);
  execFileSync(join(python, 'bin/pip'), ['install', '--quiet', ...REQUIREMENTS]);
  const frameworks: Framework[] = [
    {
      name: 'Shiny with ggplot2',
      files: { 'app.R': SHINY },
      metadata: { appmode: 'shiny' },
      script: 'prepared.R',
      alone: (directory, port) => [
        'Rscript',
        '-e',
        `shiny::runApp("${directory}", port = ${port}, launch.browser = FALSE)`,
      ],
    },
    {
      name: 'Streamlit with pandas',
      files: { 'app.py': STREAMLIT, 'requirements.txt': REQUIREMENTS.join('\n') },
      metadata: {
        appmode: 'python-streamlit',
        entrypoint: 'app.py',
        python: {
          version: versionOf(python),
          package_manager: { name: 'pip', package_file: 'requirements.txt' },
        },
      },
      script: 'prepared.py',
      alone: (directory, port) => [
        join(python, 'bin/python'),
        '-m',
        'streamlit',
        'run',
        join(directory, 'app.py'),
        '--server.headless=true',
        '--browser.gatherUsageStats=false',
        `--server.port=${port}`,
      ],
      visit: visitStreamlit,
    },
  ];
  const lines: string[] = [];
  const server = await startServerProcess(join(root, 'data'), {
    PRESSROOM_SCHEDULER_MINPROCESSESLIMIT: String(PROCESSES),
    PRESSROOM_SCHEDULER_IDLETIMEOUT: '600',
    PRESSROOM_APPLICATIONS_PREPAREDPROCESSES: '4',
  });
  const owner = await firstAdministrator(() => server.url);
  for (const one of frameworks) {
    const { guid, task } = await publish(owner, one.files, { metadata: one.metadata });
    if (task.code !== 0) throw new Error(task.output.join('\n'));
    const directory = await mkdtemp(join(root, 'alone-'));
    for (const [path, text] of Object.entries(one.files)) await writeFile(join(directory, path), text);
    const url = `${server.url}/content/${guid}/`;
    await untilPrepared(one);
    const [ours, alone]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      await stopAll(owner, guid);
      const begun = performance.now();
      await (await fetch(url)).text();
      ours.push(performance.now() - begun);
      alone.push(await coldStart(one, directory));
    }
    lines.push(ratio(`${one.name}, from zero processes to the first byte / alone`, ours, alone));
    const cold = await memoryAlone(one, directory);
    const forked = await memoryOfTen(owner, guid, url, one);
    for (const [index, what] of ['', ', each with a session'].entries()) {
      const [ours, theirs] = [forked[index], cold[index]];
      if (ours === undefined || theirs === undefined) continue;
      lines.push(
        `${one.name}, memory of ${PROCESSES} processes${what} / ${PROCESSES} cold ones: ${(ours / theirs).toFixed(2)} ` +
          `(${ours.toFixed(0)} MiB with the prepared one / ${theirs.toFixed(0)} MiB)`,
      );
    }
    await stopAll(owner, guid);
  }
  await server.stop('SIGTERM');
  await rm(root, { recursive: true, force: true });
  return lines;
}

function ratio(what: string, ours: readonly number[], alone: readonly number[]): string {
  const [own, floor] = [ours, alone].map((all) => all.toSorted((a, b) => a - b)[ROUNDS >> 1]!) as [
    number,
    number,
  ];
  return `${what}: ${(own / floor).toFixed(2)} (${own.toFixed(0)} ms / ${floor.toFixed(0)} ms)`;
}

function versionOf(python: string): string {
  const code = 'import platform; print(platform.python_version())';
  return execFileSync(join(python, 'bin/python'), ['-c', code], { encoding: 'utf8' }).trim();
}

/** Milliseconds to the first byte; then the process is stopped. */
async function coldStart(framework: Framework, directory: string): Promise<number> {
  const begun = performance.now();
  const { child } = await startAlone(framework, directory);
  const took = performance.now() - begun;
  await stop(child);
  return took;
}

async function startAlone(
  { alone }: Framework,
  directory: string,
): Promise<{ child: ChildProcess; url: string }> {
  const port = await freePort();
  const [file, ...args] = alone(directory, port);
  const child = spawn(file, args, { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}/`;
  for (;;) {
    const response = await fetch(url).catch(() => null);
    if (response) {
      await response.text();
      return { child, url };
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** MiB, with shared pages divided among their users: without a session, and with one each, if that differs. */
async function memoryAlone(framework: Framework, directory: string): Promise<number[]> {
  const all: Awaited<ReturnType<typeof startAlone>>[] = [];
  for (let i = 0; i < PROCESSES; i++) all.push(await startAlone(framework, directory));
  const sizes = () => sizeOf(all.map(({ child }) => child.pid!));
  const before = await sizes();
  const sockets = await visitAll(
    framework,
    all.map(({ url }) => url),
  );
  const measured = sockets.length > 0 ? [before, await sizes()] : [before];
  for (const socket of sockets) socket.terminate();
  for (const { child } of all) await stop(child);
  return measured;
}

/** Sequentially: each goes to a process without a session. */
async function visitAll({ visit }: Framework, urls: readonly string[]): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  for (const url of visit ? urls : []) sockets.push(await visit!(url));
  return sockets;
}

/** Like its page: requests a run of the script, and waits for its table. */
async function visitStreamlit(url: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}_stcore/stream`, 'streamlit');
  await once(socket, 'open');
  // A BackMsg (protocol buffers) whose field 11, rerun_script, is an empty ClientState.
  socket.send(Buffer.from([0x5a, 0x00]));
  for await (const [data] of on(socket, 'message')) if ((data as Buffer).includes('pandas')) return socket;
  throw new Error('the session ended before its table came');
}

/** Including the process they were forked from. */
async function memoryOfTen(
  owner: Person,
  guid: string,
  url: string,
  framework: Framework,
): Promise<number[]> {
  const change = async (body: object) => {
    const { status } = await owner.call('PATCH', `/v1/content/${guid}`, { body });
    if (status !== 200) throw new Error(`the content could not be changed: ${status}`);
  };
  await change({ min_processes: PROCESSES, max_processes: PROCESSES, max_conns_per_process: 1 });
  while ((await running(owner, guid)).length < PROCESSES)
    await new Promise((resolve) => setTimeout(resolve, 50));
  await Promise.all(Array.from({ length: PROCESSES }, async () => (await fetch(url)).text()));
  const sizes = async () => sizeOf(await processesOf(framework.script));
  const before = await sizes();
  const sockets = await visitAll(
    framework,
    Array.from({ length: PROCESSES }, () => url),
  );
  const measured = sockets.length > 0 ? [before, await sizes()] : [before];
  for (const socket of sockets) socket.terminate();
  await change({ min_processes: 0 });
  return measured;
}

async function sizeOf(pids: readonly number[]): Promise<number> {
  const all = await Promise.all(pids.map(proportionalSize));
  return all.reduce((sum, one) => sum + one, 0);
}

async function running(owner: Person, guid: string): Promise<string[]> {
  const { body } = await owner.call('GET', `/v1/content/${guid}/jobs`);
  return (body as { key: string; status: number }[])
    .filter(({ status }) => status === 0)
    .map(({ key }) => key);
}

async function stopAll(owner: Person, guid: string): Promise<void> {
  for (const key of await running(owner, guid)) await owner.call('DELETE', `/v1/content/${guid}/jobs/${key}`);
}

/** Includes forked ones: they keep its command line. */
async function processesOf(script: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of (await readdir('/proc')).map(Number).filter((number) => number > 0)) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
    if (line.includes(`/${script}\0`) && !line.includes('bwrap')) found.push(pid);
  }
  return found;
}

/** Until it is idle and waits for orders. */
async function untilPrepared({ script }: Framework): Promise<void> {
  for (let before = -1; ;) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const [pid] = await processesOf(script);
    const stat = pid === undefined ? '' : await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
    const used = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[11] ?? -2);
    if (used > 0 && used === before) return;
    before = used;
  }
}

async function proportionalSize(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'latin1').catch(() => '');
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
}
