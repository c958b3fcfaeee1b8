// A window of a real editor for one test file: code-server, Chromium, and access to the extension host.
import { mkdir, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CHROMIUM, CHROMIUM_FEATURES } from '@pressroom/testkit';
import { chromium, type Page } from 'playwright-core';
import type * as vscode from 'vscode';
import { openCodeServer, type CodeServer, type CodeServerOptions } from './code-server.ts';
import { BOOT_MS, LOOK_MS, waitFor } from './wait-for.ts';

export interface Editor extends AsyncDisposable {
  readonly page: Page;
  /** The editor's data directory, including logs. */
  readonly data: string;
  /** Runs a function in the extension host; it has access to its arguments only. */
  inHost<Args extends unknown[], Result>(
    work: (vs: typeof vscode, ...args: Args) => Result | Promise<Result>,
    ...args: Args
  ): Promise<Result>;
  /** Opens a folder, or a .code-workspace file, in the same window. */
  open(path: string): Promise<void>;
  /** Reloads the window and waits for its new extension host. */
  reload(): Promise<void>;
  /** Evaluates a function in the extension host until it returns true. */
  until<Args extends unknown[]>(
    work: (vs: typeof vscode, ...args: Args) => unknown,
    ...args: Args
  ): Promise<void>;
  /** Text of the extension's log. */
  log(): Promise<string>;
  screenshot(name: string): Promise<void>;
}

export interface EditorOptions extends CodeServerOptions {
  /** A folder, or a .code-workspace file. */
  readonly open: string;
  /** Opens in Restricted Mode without prompting; trusted by default. */
  readonly untrusted?: boolean;
  /** Whether the window also starts the extension host of browsers, a worker. */
  readonly worker?: boolean;
  /** Display language; the editor's own texts stay English, as its language packs are not available here. */
  readonly language?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
}

const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  // A closing dialog or menu returns the focus a moment later, which would close the next list.
  'workbench.quickOpen.closeOnFocusLost': false,
  // A hover over one row would intercept the click on the next.
  'workbench.hover.delay': 600_000,
  'telemetry.telemetryLevel': 'off',
  'chat.disableAIFeatures': true,
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'security.workspace.trust.startupPrompt': 'never',
  'git.openRepositoryInParentFolders': 'never',
  // Each window would look for repositories: needed by around.test.ts and branches.test.ts only.
  'git.enabled': false,
  // At the start, and every two seconds, it would list the open files of all processes of the machine.
  'remote.autoForwardPorts': false,
  'remote.autoForwardPortsSource': 'output',
  'pressroom.openAfterPublish': false,
  // The editor's language servers do not start here, and would cover everything with an error.
  'files.associations': { '*.html': 'plaintext', '*.css': 'plaintext' },
};
const FLAGS = [
  CHROMIUM_FEATURES,
  '--no-sandbox',
  '--disable-gpu',
  // Windows live for seconds: optimizing compilers would cost three times what they save. More room for what
  // is soon garbage: it is collected less often.
  '--js-flags=--no-opt,--no-maglev,--min-semi-space-size=64,--max-semi-space-size=64',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];
/** Animations are rendered by the CPU here, while a test waits. */
const STILL = '*, *::before, *::after { animation: none !important; transition: none !important }';
/** Laid out, but not painted: what is transparent can still be read and clicked. */
const UNPAINTED = 'body { opacity: 0 !important }';
/** The extension host of browsers, which no setting turns off, is a worker that a frame starts. */
const WITHOUT_WORKER = 'self === top || (self.Worker = undefined)';
const withStyle = (css: string) => `addEventListener('DOMContentLoaded', () => {
  const style = document.createElement('style');
  style.textContent = '${css}';
  document.head.append(style);
})`;
/** In this process; one per running test file. */
export const openEditors = new Set<Editor>();
/** Maximum milliseconds of a click's effect within the editor. */
const STEP_TIMEOUT_MS = 20_000;

/** The window of this worker's code-server, kept for its next test file, since its code is compiled. */
let kept: Page | undefined;

export async function startEditor(options: EditorOptions): Promise<Editor> {
  const program = await openCodeServer(options);
  let window: Page | undefined;
  let editor: Editor | undefined;
  let script: AsyncDisposable | undefined;
  const close = async () => {
    if (editor) openEditors.delete(editor);
    await script?.[Symbol.asyncDispose]();
    if (window) {
      await (program.isShared ? empty(window, program.url) : window.context().browser()!.close());
    }
    await program.close();
  };
  try {
    const trust = { 'security.workspace.trust.enabled': options.untrusted === true };
    const settings = { ...SETTINGS, ...trust, ...options.settings };
    await mkdir(join(program.data, 'User'), { recursive: true });
    await writeFile(join(program.data, 'User/settings.json'), JSON.stringify(settings));
    const isSeen = !program.isShared || process.env.PRESSROOM_TEST_SCREENSHOTS !== undefined;
    const page = (window = (program.isShared ? kept : undefined) ?? (await openWindow(isSeen)));
    if (program.isShared) kept = page;
    if (!options.worker) script = await page.addInitScript(WITHOUT_WORKER);
    if (options.language) await speak(options.language, program.data);
    editor = createEditor(page, program, close);
    openEditors.add(editor);
    await goTo(page, program.url, options.open);
    await editor.until(() => true);
    await untilFoldersAreOpen(editor);
    return editor;
  } catch (error) {
    await close();
    throw error;
  }
}

/** The extension host reports when it is loaded: with several editors at once that takes longer than a step. */
async function goTo(page: Page, origin: string, path: string): Promise<void> {
  const kind = path.endsWith('.code-workspace') ? 'workspace' : 'folder';
  const address = `${origin}/?${kind}=${encodeURIComponent(path)}`;
  await page.goto(address, { waitUntil: 'commit', timeout: BOOT_MS });
}

/** Under load the editor sometimes reads a workspace file as empty, permanently: then it is opened again. */
async function untilFoldersAreOpen(editor: Editor): Promise<void> {
  const areOpen: Parameters<Editor['until']>[0] = (vs) => (vs.workspace.workspaceFolders ?? []).length > 0;
  const late = Date.now() + STEP_TIMEOUT_MS;
  while (!(await editor.inHost(areOpen))) {
    if (Date.now() > late) {
      await editor.reload();
      return editor.until(areOpen);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** @param isSeen for screenshots: otherwise nothing is painted, and only a sixteenth of the pixels is rendered */
async function openWindow(isSeen: boolean): Promise<Page> {
  // A temporary profile: without one, Chromium keeps no compiled code.
  const context = await chromium.launchPersistentContext('', {
    executablePath: CHROMIUM,
    args: FLAGS,
    viewport: { width: 1280, height: 800 },
    deviceScaleFactor: isSeen ? 1 : 0.25,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_TIMEOUT_MS);
  await page.addInitScript(withStyle(isSeen ? STILL : STILL + UNPAINTED));
  // Confirms leaving with unsaved files.
  page.on('dialog', (dialog) => dialog.accept());
  return page;
}

/** An empty language pack: with one, the editor requests the extensions' texts in that language. */
async function speak(language: string, data: string): Promise<void> {
  const vscode = join(data, 'main.i18n.json');
  await writeFile(vscode, JSON.stringify({ contents: {} }));
  const extensions = [{ extensionIdentifier: { id: 'pressroom-test.language' }, version: '1.0.0' }];
  const packs = { [language]: { hash: 'none', label: language, extensions, translations: { vscode } } };
  await writeFile(join(data, 'languagepacks.json'), JSON.stringify(packs));
  await writeFile(join(data, 'User/argv.json'), JSON.stringify({ locale: language }));
}

/** Resets it: no other pages, and no stored data of the editor. */
async function empty(page: Page, origin: string): Promise<void> {
  const context = page.context();
  await page.goto('about:blank');
  for (const other of context.pages()) if (other !== page) await other.close();
  await context.clearCookies();
  const session = await context.newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await session.detach();
}

function createEditor(page: Page, { url, data, socket }: CodeServer, close: () => Promise<void>): Editor {
  const inHost: Editor['inHost'] = async (work, ...args) => {
    const connection = createConnection({ path: socket, allowHalfOpen: true });
    connection.end(JSON.stringify({ code: work.toString(), args }));
    const response = JSON.parse(await text(connection)) as { result: never; error?: string };
    if (response.error !== undefined) throw new Error(response.error);
    return response.result;
  };
  const until: Editor['until'] = (work, ...args) => waitFor(async () => Boolean(await inHost(work, ...args)));
  const inNewHost = async (work: () => Promise<unknown>) => {
    const before = await inHost(() => process.pid);
    await work();
    await until((_vs, old) => process.pid !== old, before);
  };
  const editor: Editor = {
    page,
    data,
    inHost,
    until,
    async open(path) {
      await inNewHost(() => goTo(page, url, path));
      await untilFoldersAreOpen(editor);
    },
    reload: () => inNewHost(() => page.reload({ waitUntil: 'commit', timeout: BOOT_MS })),
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
  return editor;
}
