// Publishing a 500 MB workspace from a real editor: stalls and memory of the extension host, and activation time.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { firstAdministrator, startServerProcess } from '@pressroom/testkit';
import { installExtensions } from '../editor/editor-setup.ts';
import { startWork, type Work, type WorkOptions } from '../editor/work.ts';

const MEGABYTES = 500;
/** Windows, each with one publish: a single figure may be an accident. */
const RUNS = 3;
const LOWEST_PRIORITY = 19;

interface Figures {
  /** Longest stall of the event loop, in milliseconds. */
  readonly stall: number;
  /** Peak memory in megabytes. */
  readonly memory: number;
}

/** One window, from activation to the end of a publish; times in milliseconds. */
interface Run {
  readonly activation: number;
  readonly git: number;
  readonly idle: Figures;
  readonly busy: Figures;
  /** Longest stall of an idle thread during the publish. */
  readonly floor: number;
  /** Different texts of the progress that were seen. */
  readonly texts: number;
}

export async function editorBench(): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'pressroom-bench-'));
  const extensions = await installExtensions(dir);
  const server = await startServerProcess(join(dir, 'server'));
  try {
    await giveWay(server.pid);
    const { key } = await firstAdministrator(() => server.url);
    const runs: Run[] = [];
    for (let i = 0; i < RUNS; i += 1) runs.push(await run({ extensions, url: () => server.url, key }));
    const all = (figure: (run: Run) => number) => runs.map((one) => figure(one).toFixed(0)).join(', ');
    return [
      `editor, activation in ${RUNS} windows: ${all((one) => one.activation)} ms (goal < 50; the editor's own Git extension ${all((one) => one.git)})`,
      `editor, publish ${MEGABYTES} MB, longest stall: ${all((one) => one.busy.stall)} ms (goal < 50; idle ${all((one) => one.idle.stall)}; a thread beside it that does nothing ${all((one) => one.floor)})`,
      `editor, publish ${MEGABYTES} MB, most memory of the extension host: ${all((one) => one.busy.memory)} MB (goal < 300; idle ${all((one) => one.idle.memory)})`,
      `editor, publish ${MEGABYTES} MB, different progress seen: ${all((one) => one.texts)}`,
    ];
  } finally {
    await server.stop('SIGTERM');
    await rm(dir, { recursive: true, force: true });
  }
}

/** The server represents another machine: it must not take these cores from the editor. */
async function giveWay(pid: number): Promise<void> {
  // Priorities are per thread; later threads inherit them.
  for (const thread of await readdir(`/proc/${pid}/task`)) setPriority(Number(thread), LOWEST_PRIORITY);
}

async function run(options: WorkOptions): Promise<Run> {
  await using work = await startWork(options);
  await work.editor.inHost(async (vs) => {
    await vs.extensions.getExtension('pressroom.pressroom')!.activate();
  });
  const activation = await activationTime(work, /^Pressroom\d/);
  const git = await activationTime(work, /^Git\d/);
  const idle = await measured(work, () => pause(5000));
  const file = await open(join(work.folder, 'noise.bin'), 'w');
  for (let i = 0; i < MEGABYTES; i += 1) await file.write(randomBytes(1_000_000));
  // Flushed first: a busy disk would cause stalls.
  await file.sync();
  await file.close();
  const texts = new Set<string>();
  const stopFloor = measureFloor();
  const busy = await measured(work, async () => {
    await work.firstTime();
    const live = work.toast('static-page is live');
    const status = work.editor.page.locator('.statusbar-item', { hasText: 'Uploading' });
    const ended = live.then(() => true);
    while (!(await Promise.race([ended, pause(100)]))) {
      texts.add((await status.allTextContents())[0] ?? '');
    }
  });
  return { activation, git, idle, busy, floor: await stopFloor(), texts: texts.size };
}

/** Measured by the editor itself: loading the code, and the call. */
async function activationTime({ editor }: Work, name: RegExp): Promise<number> {
  await editor.inHost(async (vs) => {
    await vs.commands.executeCommand('workbench.action.showRuntimeExtensions');
  });
  const row = editor.page.locator('.monaco-list-row', { hasText: name }).filter({ hasText: 'Activation' });
  return Number(/Activation: (\d+)ms/.exec((await row.first().textContent()) ?? '')?.[1]);
}

function pause(milliseconds: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), milliseconds));
}

/** Longest stall, in milliseconds, of an idle thread: the effect of other programs on these cores. */
function measureFloor(): () => Promise<number> {
  const idler = new Worker(
    `const { parentPort } = require('node:worker_threads');
    const delay = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    parentPort.once('message', () => parentPort.postMessage(delay.max / 1e6));`,
    { eval: true },
  );
  return async () => {
    idler.postMessage('stop');
    const [longest] = (await once(idler, 'message')) as [number];
    await idler.terminate();
    return longest;
  };
}

/** Measures the extension host during an action. */
async function measured(work: Work, act: () => Promise<unknown>): Promise<Figures> {
  await work.editor.inHost(() => {
    const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks');
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const state = { delay, memory: 0, timer: undefined as unknown };
    state.timer = setInterval(() => {
      state.memory = Math.max(state.memory, process.memoryUsage.rss());
    }, 50);
    Object.assign(globalThis, { pressroomBench: state });
  });
  await act();
  return work.editor.inHost(() => {
    const { pressroomBench: state } = globalThis as unknown as {
      pressroomBench: { delay: { max: number; disable(): void }; memory: number; timer: NodeJS.Timeout };
    };
    clearInterval(state.timer);
    state.delay.disable();
    return { stall: state.delay.max / 1e6, memory: state.memory / 1e6 };
  });
}
