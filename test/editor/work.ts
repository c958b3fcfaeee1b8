// What the tests of the outer ring share: a server with a publisher, a folder of content, and the steps a person takes.
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { startTestServer, type Person, type TestServer, type TestServerOptions } from '@pressroom/testkit';
import { vi } from 'vitest';
import { startEditor, type Editor, type EditorOptions } from './editor.ts';

const examples = join(import.meta.dirname, '../../examples');

const TOAST_MS = 3000;
const LIVE_MS = 90_000;
/** How long a tree may take to show what is below a row. */
const BELOW_MS = 5_000;

export interface Work extends AsyncDisposable {
  readonly server: TestServer;
  readonly person: Person;
  readonly editor: Editor;
  /** The folder that is open, or the first of them. */
  readonly folder: string;
  /** Runs a command without waiting for its end. */
  command(id: string, argument?: unknown): Promise<void>;
  /** Waits for the end of the last command: what it shows last must not be in the way of what comes next. */
  ended(): Promise<void>;
  /** Waits for a notification that holds this text; as long as R or Python may take. */
  toast(text: string | RegExp): Promise<void>;
  /** Presses a button of a notification. */
  press(button: string): Promise<void>;
  clearToasts(): Promise<void>;
  /** Opens a row of a tree until another, below it, is there: a tree that is drawn anew meanwhile closes it again. */
  expand(row: Locator, below: Locator): Promise<void>;
  /** Fills in the open input and presses Enter. */
  answer(text: string | null): Promise<void>;
  /** The first publishing: server, key where there is none yet, confirmation. */
  firstTime(argument?: string): Promise<void>;
}

export interface WorkOptions extends Omit<EditorOptions, 'open'> {
  /** Names of the examples that are copied; several are opened as one workspace. */
  readonly examples?: readonly [string, ...string[]];
  readonly server?: TestServerOptions;
  /** Opens them through a file system of an extension (see driver/elsewhere.cjs): nothing is on disk for the editor. */
  readonly elsewhere?: boolean;
  /** What is typed as the server's address; its own if not given. */
  readonly url?: () => string;
  /** What is typed as the key; the publisher's if not given. */
  readonly key?: string;
}

export async function startWork(options: WorkOptions): Promise<Work> {
  const {
    examples: names = ['static-page'],
    server: serverOptions = {},
    elsewhere = false,
    ...rest
  } = options;
  const parent = await mkdtemp(join(tmpdir(), 'pressroom-work-'));
  for (const name of names) {
    await cp(join(examples, name), join(parent, name), { recursive: true, preserveTimestamps: true });
  }
  const folder = join(parent, names[0]);
  const folderEntry = (name: string) =>
    elsewhere ? { name, uri: `elsewhere:${join(parent, name)}` } : { path: name };
  const workspace = join(parent, 'all.code-workspace');
  await writeFile(workspace, JSON.stringify({ folders: names.map(folderEntry) }));
  const server = await startTestServer({ settings: { 'HTTP.ShutdownTimeout': 1 }, ...serverOptions });
  const person = await server.person('publisher');
  const editor = await startEditor({ ...rest, open: names.length === 1 && !elsewhere ? folder : workspace });
  const { page } = editor;
  const input = page.locator('.quick-input-widget:visible input[type]:visible').first();
  const notifications = page.locator('.notifications-toasts, .notifications-center');
  const work: Work = {
    server,
    person,
    editor,
    folder,
    command: (id, argument) =>
      editor.inHost(
        (vs, name, given) => {
          const last = vs.commands.executeCommand(name, ...(given === null ? [] : [given]));
          Object.assign(globalThis, { pressroomTestCommand: last });
        },
        id,
        (argument ?? null) as never,
      ),
    ended: () =>
      editor.inHost(
        async () =>
          void (await (globalThis as { pressroomTestCommand?: Promise<unknown> }).pressroomTestCommand),
      ),
    async toast(text) {
      const found = notifications.getByText(text).filter({ visible: true }).first();
      try {
        await found.waitFor({ timeout: TOAST_MS });
      } catch {
        // The editor shows three in 800 ms and puts the others into its list: faster than a person, a test gets there.
        await editor.inHost((vs) => vs.commands.executeCommand('notifications.showList'));
        await found.waitFor({ timeout: LIVE_MS });
      }
    },
    press: (button) =>
      notifications.getByRole('button', { name: button }).filter({ visible: true }).first().click(),
    clearToasts: async () => {
      await editor.inHost((vs) => vs.commands.executeCommand('notifications.clearAll'));
      // The list keeps what it showed last while it is closed.
      const shown = notifications.locator('.notification-list-item').filter({ visible: true });
      await shown.first().waitFor({ state: 'detached' });
    },
    expand: (row, below) =>
      vi.waitFor(
        async () => {
          if ((await row.getAttribute('aria-expanded')) === 'false') await row.click();
          await below.waitFor({ timeout: BELOW_MS });
        },
        { timeout: LIVE_MS },
      ),
    async answer(text) {
      if (text !== null) await input.fill(text);
      await input.press('Enter');
    },
    async firstTime(argument) {
      await work.command('pressroom.publish', argument);
      await page.getByText(/\(1\/3\)/).waitFor();
      await work.answer(options.url?.() ?? server.url);
      const [key, confirm] = [page.getByText(/\(2\/3\)/), page.getByText(/\(3\/3\)/)];
      await key.or(confirm).waitFor();
      if (await key.isVisible()) await work.answer(options.key ?? person.key);
      await confirm.waitFor();
      await work.answer(null);
    },
    async [Symbol.asyncDispose]() {
      await editor[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await rm(parent, { recursive: true, force: true });
    },
  };
  return work;
}
