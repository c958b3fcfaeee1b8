// Publishing a 500 MB workspace from a real editor: stalls and memory of the extension host, and what activation takes.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { installExtensions } from '../e2e/vscode/editor-setup.ts';
import { startWork, type Work } from '../e2e/vscode/work.ts';

const MEGABYTES = 500;

interface Figures {
  /** Longest stall of the event loop, in milliseconds. */
  readonly stall: number;
  /** Most memory at once, in megabytes. */
  readonly memory: number;
}

export async function editorBench(): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'pressroom-bench-'));
  const extensions = await installExtensions(dir);
  const work = await startWork({ extensions });
  try {
    await work.editor.inHost(async (vs) => {
      await vs.extensions.getExtension('pressroom.pressroom')!.activate();
    });
    const activation = await activationTime(work, /^Pressroom\d/);
    const git = await activationTime(work, /^Git\d/);
    const idle = await measured(work, () => pause(5000));
    const file = await open(join(work.folder, 'noise.bin'), 'w');
    for (let i = 0; i < MEGABYTES; i += 1) await file.write(randomBytes(1_000_000));
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
    const floor = await stopFloor();
    return [
      `editor, activation: ${activation} ms (goal < 50; the editor's own Git extension ${git})`,
      `editor, publish ${MEGABYTES} MB, longest stall: ${busy.stall.toFixed(0)} ms (goal < 50; idle ${idle.stall.toFixed(0)}; a thread beside it that does nothing ${floor.toFixed(0)})`,
      `editor, publish ${MEGABYTES} MB, most memory of the extension host: ${busy.memory.toFixed(0)} MB (goal < 300; idle ${idle.memory.toFixed(0)})`,
      `editor, publish ${MEGABYTES} MB, different progress seen: ${texts.size}`,
    ];
  } finally {
    await work[Symbol.asyncDispose]();
    await rm(dir, { recursive: true, force: true });
  }
}

/** What the editor itself measured: loading the code, and the call. */
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

/** Longest stall, in milliseconds, of a thread that does nothing: what the other programs on these cores cost it. */
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

/** What the extension host goes through while something is done. */
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
