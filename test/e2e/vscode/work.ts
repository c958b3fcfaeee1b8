// What the tests of the outer ring share: a server with a publisher, a folder of content, and the steps a person takes.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { startTestServer, type Person, type TestServer, type TestServerOptions } from '@pressroom/testkit';
import { startEditor, type Editor, type EditorOptions } from './editor.ts';

const examples = join(import.meta.dirname, '../../../examples');

export interface Work extends AsyncDisposable {
  readonly server: TestServer;
  readonly person: Person;
  readonly editor: Editor;
  /** The folder that is open. */
  readonly folder: string;
  /** Runs a command without waiting for its end. */
  command(id: string, argument?: unknown): Promise<void>;
  /** Waits for a notification that holds this text. */
  toast(text: string | RegExp): Promise<void>;
  /** Presses a button of a notification. */
  press(button: string): Promise<void>;
  clearToasts(): Promise<void>;
  /** Fills in the open input and presses Enter. */
  answer(text: string | null): Promise<void>;
  /** The first publishing: server, key, confirmation. */
  firstTime(argument?: string): Promise<void>;
}

export interface WorkOptions extends Omit<EditorOptions, 'open'> {
  /** Name of the example that is copied. */
  readonly example?: string;
  readonly open?: (folder: string) => Promise<string>;
  readonly server?: TestServerOptions;
}

export async function startWork(options: WorkOptions): Promise<Work> {
  const { example = 'static-page', open, server: serverOptions = {}, ...rest } = options;
  const parent = await mkdtemp(join(tmpdir(), 'pressroom-work-'));
  const folder = join(parent, example);
  await cp(join(examples, example), folder, { recursive: true, preserveTimestamps: true });
  const server = await startTestServer({ settings: { 'HTTP.ShutdownTimeout': 1 }, ...serverOptions });
  const person = await server.person('publisher');
  const editor = await startEditor({ ...rest, open: (await open?.(folder)) ?? folder });
  const { page } = editor;
  const input = page.locator('.quick-input-widget:visible input[type]:visible').first();
  const toasts = page.locator('.notifications-toasts');
  const work: Work = {
    server,
    person,
    editor,
    folder,
    command: (id, argument) =>
      editor.inHost(
        (vs, name, given) => void vs.commands.executeCommand(name, ...(given === null ? [] : [given])),
        id,
        (argument ?? null) as never,
      ),
    toast: (text) => toasts.getByText(text).first().waitFor(),
    press: (button) => toasts.getByRole('button', { name: button }).first().click(),
    clearToasts: async () => {
      await editor.inHost((vs) => vs.commands.executeCommand('notifications.clearAll'));
      await toasts.locator('.notification-list-item').waitFor({ state: 'detached' });
    },
    async answer(text) {
      if (text !== null) await input.fill(text);
      await input.press('Enter');
    },
    async firstTime(argument) {
      await work.command('pressroom.publish', argument);
      await page.getByText(/\(1\/3\)/).waitFor();
      await work.answer(server.url);
      await page.getByText(/\(2\/3\)/).waitFor();
      await work.answer(person.key);
      await page.getByText(/\(3\/3\)/).waitFor();
      await work.answer(null);
      await work.toast(`${basename(argument ?? folder)} is live`);
      await work.clearToasts();
    },
    async [Symbol.asyncDispose]() {
      await editor[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await rm(parent, { recursive: true, force: true });
    },
  };
  return work;
}
