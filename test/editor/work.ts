// Shared by the editor tests: a server with a publisher, a folder of content, and typical steps.
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer, type Person, type TestServer, type TestServerOptions } from '@pressroom/testkit';
import type { Locator } from 'playwright-core';
import { vi } from 'vitest';
import { startEditor, type Editor, type EditorOptions } from './editor.ts';
import { waitFor } from './wait-for.ts';

const examples = join(import.meta.dirname, '../../examples');

const TOAST_MS = 3000;
const LIVE_MS = 90_000;
/** Maximum milliseconds for a tree to show the children of a row. */
const BELOW_MS = 5_000;

export interface Work extends AsyncDisposable {
  readonly server: TestServer;
  readonly person: Person;
  readonly editor: Editor;
  /** The opened folder, or the first one. */
  readonly folder: string;
  /** Starts a command without waiting for its end. */
  command(id: string, argument?: unknown): Promise<void>;
  /** Waits for the end of the last command: its final notification must not cover what follows. */
  ended(): Promise<void>;
  /** Waits for a notification with this text, as long as R or Python may take. */
  toast(text: string | RegExp): Promise<void>;
  /** Presses a button of a notification. */
  press(button: string): Promise<void>;
  /** Presses a button that a row of a tree shows under the pointer. */
  pressIn(row: Locator, button: RegExp): Promise<void>;
  clearToasts(): Promise<void>;
  /** Expands a row of a tree until a child is visible: a concurrent refresh collapses it again. */
  expand(row: Locator, below: Locator): Promise<void>;
  /** Fills in the open input and presses Enter. */
  respond(text: string | null): Promise<void>;
  /** The first publish: server, key if needed, confirmation. */
  firstTime(argument?: string): Promise<void>;
}

export interface WorkOptions extends Omit<EditorOptions, 'open'> {
  /** Examples to copy; several are opened as one workspace. */
  readonly examples?: readonly [string, ...string[]];
  readonly server?: TestServerOptions;
  /** Opens them through an extension's file system (see driver/elsewhere.cjs): for the editor, nothing is on disk. */
  readonly elsewhere?: boolean;
  /** The entered server address; its own by default. */
  readonly url?: () => string;
  /** The entered key; the publisher's by default. */
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
        // The editor shows three notifications in 800 ms and moves others to its list: tests are faster than people.
        await editor.inHost((vs) => vs.commands.executeCommand('notifications.showList'));
        await found.waitFor({ timeout: LIVE_MS });
      }
    },
    // Without the pointer: a progress that ends moves the others, and a click between its two halves is lost.
    press: (button) =>
      notifications
        .getByRole('button', { name: button })
        .filter({ visible: true })
        .first()
        .dispatchEvent('click'),
    // A refresh draws the row again, perhaps elsewhere.
    pressIn: (row, button) =>
      vi.waitFor(
        async () => {
          await row.hover();
          await row.getByRole('button', { name: button }).dispatchEvent('click', {}, { timeout: BELOW_MS });
        },
        { timeout: LIVE_MS },
      ),
    clearToasts: async () => {
      // The closed list keeps its last content.
      const shown = notifications.locator('.notification-list-item').filter({ visible: true });
      // Others may appear while these go.
      await waitFor(async () => {
        await editor.inHost((vs) => vs.commands.executeCommand('notifications.clearAll'));
        return (await shown.count()) === 0;
      });
    },
    expand: (row, below) =>
      vi.waitFor(
        async () => {
          if ((await row.getAttribute('aria-expanded')) === 'false') await row.click();
          await below.waitFor({ timeout: BELOW_MS });
        },
        { timeout: LIVE_MS },
      ),
    async respond(text) {
      if (text !== null) await input.fill(text);
      await input.press('Enter');
    },
    async firstTime(argument) {
      await work.command('pressroom.publish', argument);
      await page.getByText(/\(1\/3\)/).waitFor();
      await work.respond(options.url?.() ?? server.url);
      const [key, confirm] = [page.getByText(/\(2\/3\)/), page.getByText(/\(3\/3\)/)];
      await key.or(confirm).waitFor();
      if (await key.isVisible()) await work.respond(options.key ?? person.key);
      await confirm.waitFor();
      await work.respond(null);
    },
    async [Symbol.asyncDispose]() {
      await editor[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await rm(parent, { recursive: true, force: true });
    },
  };
  return work;
}
