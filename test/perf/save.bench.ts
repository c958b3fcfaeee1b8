// In a real editor: the cost of a save among many files, and the number of requests of a publish.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installExtensions } from '../editor/editor-setup.ts';
import { passTo, startRecorder } from '../editor/recorder.ts';
import { startWork, type Work } from '../editor/work.ts';

const FOLDERS = 300;
const FILES = 100;
const SAVES = 10;
/** Longer than any delay before saved files are examined. */
const SETTLE_MS = 1500;

/** Returns the lines to print. */
export async function saveBench(): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'pressroom-bench-'));
  try {
    let target = '';
    await using between = await startRecorder(passTo(() => target));
    await using work = await startWork({
      extensions: await installExtensions(dir),
      url: () => between.url,
    });
    target = work.server.url;
    /** Since the last call, without task polling. */
    const requests = () => between.calls.splice(0).filter((call) => !call.includes('/tasks/')).length;
    await work.firstTime();
    await work.toast('static-page is live');
    const first = requests();
    await work.clearToasts();
    await work.command('pressroom.publish');
    await work.ended();
    await work.toast('static-page is live');
    const again = requests();
    await addFiles(work.folder);
    await work.editor.inHost(async (vs) => {
      await vs.commands.executeCommand('pressroom.files.focus');
      await vs.window.showTextDocument(vs.Uri.joinPath(vs.workspace.workspaceFolders![0]!.uri, 'index.html'));
    });
    // Waits for the editor's own work on so many new files.
    await pause(10 * SETTLE_MS);
    const idle = await cpuOf(work, 0);
    const saves = await cpuOf(work, SAVES);
    const each = (milliseconds: number) => (milliseconds / SAVES).toFixed(1);
    return [
      `editor, requests of a publish besides polling: ${again} (goal <= 12; with signing in and the first publish ${first})`,
      `editor, CPU of the extension host for a save among ${(FOLDERS * FILES).toLocaleString('en')} files: ${each(saves.own)} ms in the extension (goal <= 20), ${each(saves.all)} in all; idle for as long ${each(idle.own)} and ${each(idle.all)}`,
    ];
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function addFiles(folder: string): Promise<void> {
  for (let i = 0; i < FOLDERS; i += 1) {
    const path = join(folder, `data-${i}`);
    await mkdir(path);
    await Promise.all(
      Array.from({ length: FILES }, (_, j) => writeFile(join(path, `${j}.csv`), 'a,b\n1,2\n')),
    );
  }
}

interface Cpu {
  /** CPU milliseconds of the whole extension host. */
  readonly all: number;
  /** CPU milliseconds in our code, and in what it calls. */
  readonly own: number;
}

/** The cost of saving a file this many times, or of the same time idle. */
function cpuOf({ editor }: Work, saves: number): Promise<Cpu> {
  return editor.inHost(
    async (vs, wanted, rounds, settle) => {
      const { Session } = process.getBuiltinModule('node:inspector/promises');
      const session = new Session();
      session.connect();
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: 200 });
      await session.post('Profiler.start');
      const before = process.cpuUsage();
      const { document } = vs.window.activeTextEditor!;
      for (let i = 0; i < rounds; i += 1) {
        if (i < wanted) {
          const edit = new vs.WorkspaceEdit();
          edit.insert(document.uri, new vs.Position(0, 0), ' ');
          await vs.workspace.applyEdit(edit);
          await document.save();
        }
        await new Promise((resolve) => setTimeout(resolve, settle));
      }
      const { user, system } = process.cpuUsage(before);
      const { profile } = await session.post('Profiler.stop');
      session.disconnect();
      const within = new Set<number>();
      // Nodes come before those they call.
      for (const { id, callFrame, children = [] } of profile.nodes)
        if (within.has(id) || /pressroom\.pressroom/.test(callFrame.url))
          for (const each of [id, ...children]) within.add(each);
      const { samples = [], timeDeltas = [] } = profile;
      const own = samples.reduce((sum, id, at) => sum + (within.has(id) ? (timeDeltas[at] ?? 0) : 0), 0);
      return { all: (user + system) / 1000, own: own / 1000 };
    },
    saves,
    SAVES,
    SETTLE_MS,
  );
}
