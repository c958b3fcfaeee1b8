// The part of the editor's API that tests need, checked against its types. Messages are recorded.
import { posix } from 'node:path';
import type * as vscode from 'vscode';

export class EventEmitter<T> implements vscode.EventEmitter<T> {
  readonly #listeners = new Set<(event: T) => unknown>();
  readonly event: vscode.Event<T> = (listener) => {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  };
  fire(event: T): void {
    for (const listener of this.#listeners) listener(event);
  }
  dispose(): void {
    this.#listeners.clear();
  }
}

export class ThemeIcon {
  static readonly Folder = new ThemeIcon('folder');
  static readonly File = new ThemeIcon('file');
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}
export class ThemeColor {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}
export class MarkdownString {
  value = '';
  appendText(text: string): this {
    this.value += text;
    return this;
  }
  appendMarkdown(text: string): this {
    return this.appendText(text);
  }
}
export class TreeItem {
  label: string;
  collapsibleState: number;
  constructor(label: string, collapsibleState = 0) {
    this.label = label;
    this.collapsibleState = collapsibleState;
  }
}
export class FileDecoration {
  readonly badge: string;
  readonly tooltip: string;
  constructor(badge: string, tooltip: string) {
    this.badge = badge;
    this.tooltip = tooltip;
  }
}
export const TreeItemCheckboxState = { Unchecked: 0, Checked: 1 } as const;
export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 } as const;
export const ProgressLocation = { SourceControl: 1, Window: 10, Notification: 15 } as const;
export const InputBoxValidationSeverity = { Info: 1, Warning: 2, Error: 3 } as const;
export const QuickInputButtons = { Back: { iconPath: new ThemeIcon('arrow-left') } };

export const FileType = { Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 } as const;

export class FileSystemError extends Error {
  static readonly FileNotFound = (uri: vscode.Uri) => new FileSystemError(uri, 'FileNotFound');
  static readonly NoPermissions = (uri: vscode.Uri) => new FileSystemError(uri, 'NoPermissions');
  readonly code: string;
  constructor({ path }: vscode.Uri, code: string) {
    super(path);
    this.code = code;
  }
}

export class Uri {
  readonly scheme: string;
  readonly path: string;
  readonly fsPath: string;
  readonly query: string;
  constructor({ scheme, path, query = '' }: { scheme: string; path: string; query?: string }) {
    this.scheme = scheme;
    this.path = path;
    this.query = query;
    this.fsPath = path;
  }
  toString() {
    return `${this.scheme}://${this.path}`;
  }
  static from(parts: { scheme: string; path: string; query?: string }) {
    return new Uri(parts);
  }
  static file(path: string) {
    return new Uri({ scheme: 'file', path });
  }
  static parse(text: string) {
    return { scheme: text.split(':')[0], toString: () => text };
  }
  static joinPath({ scheme, path }: { scheme: string; path: string }, ...parts: string[]) {
    return new Uri({ scheme, path: posix.join(path, ...parts) });
  }
}

export class Position {
  readonly line: number;
  readonly character: number;
  constructor(line: number, character: number) {
    this.line = line;
    this.character = character;
  }
}
export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(line: number, character: number, endLine: number, endCharacter: number) {
    this.start = new Position(line, character);
    this.end = new Position(endLine, endCharacter);
  }
}
export class Diagnostic {
  readonly range: Range;
  readonly message: string;
  constructor(range: Range, message: string) {
    this.range = range;
    this.message = message;
  }
}
export const DiagnosticSeverity = { Error: 0, Warning: 1, Information: 2, Hint: 3 } as const;
export class CodeAction {
  readonly title: string;
  constructor(title: string) {
    this.title = title;
  }
}
export const CodeActionKind = { QuickFix: 'quickfix' } as const;
export class CustomExecution {
  readonly open: () => Promise<vscode.Pseudoterminal>;
  constructor(open: () => Promise<vscode.Pseudoterminal>) {
    this.open = open;
  }
}
export const TaskScope = { Workspace: 2 } as const;
export class Task {
  readonly execution: CustomExecution;
  constructor(
    _definition: unknown,
    _scope: unknown,
    _name: string,
    _type: string,
    execution: CustomExecution,
  ) {
    this.execution = execution;
  }
}
export const languages = {
  createDiagnosticCollection: () => undefined as unknown as vscode.DiagnosticCollection,
  registerCodeActionsProvider: (..._asked: unknown[]) => ({ dispose: () => undefined }),
} satisfies Partial<Record<keyof typeof vscode.languages, unknown>>;

/** Files reported as changed. */
export const fileChanges = new EventEmitter<vscode.Uri>();

/** With numbered placeholders replaced, like the editor. */
export const l10n = {
  t: (text: string, ...args: unknown[]) =>
    text.replace(/\{(\d+)\}/g, (_match, index: string) => String(args[Number(index)])),
};

/** A list that was shown: title and rows. */
export interface ShownPick {
  readonly title: string;
  readonly placeholder: string;
  readonly rows: readonly vscode.QuickPickItem[];
}

/** Messages, lists and inputs shown; read and reset by tests. */
export const recorded = {
  picks: [] as ShownPick[],
  /** Rows to choose in the next lists, by the beginning of their labels without icons; Escape afterwards. */
  choose: [] as string[],
  messages: [] as string[],
  progress: [] as string[],
  opened: [] as string[],
  /** Cancels the current progress. */
  cancel: () => undefined as void,
  reset() {
    recorded.messages.length = 0;
    recorded.progress.length = 0;
    recorded.opened.length = 0;
    recorded.picks.length = 0;
    recorded.choose.length = 0;
  },
};

const record = (message: string) => {
  recorded.messages.push(message);
  return Promise.resolve(undefined);
};

function createQuickPick() {
  const accepted = new EventEmitter<void>();
  const hidden = new EventEmitter<void>();
  const pick = {
    title: '',
    placeholder: '',
    items: [] as vscode.QuickPickItem[],
    selectedItems: [] as vscode.QuickPickItem[],
    onDidAccept: accepted.event,
    onDidHide: hidden.event,
    onDidTriggerButton: new EventEmitter<vscode.QuickInputButton>().event,
    onDidTriggerItemButton: new EventEmitter<unknown>().event,
    show() {
      recorded.picks.push({ title: pick.title, placeholder: pick.placeholder, rows: pick.items });
      const wanted = recorded.choose.shift();
      const plain = (label: string) => label.replace(/^\$\([\w-]+\) /, '');
      const row = pick.items.find(({ label }) => wanted !== undefined && plain(label).startsWith(wanted));
      if (row === undefined) return hidden.fire();
      pick.selectedItems = [row];
      accepted.fire();
    },
    dispose: () => undefined,
  };
  return pick;
}

export const window = {
  registerFileDecorationProvider: () => ({ dispose: () => undefined }),
  showInformationMessage: record,
  showWarningMessage: record,
  showErrorMessage: record,
  showQuickPick: () => Promise.resolve(undefined),
  createQuickPick,
  withProgress: (async ({ title, location }, task) => {
    if (title !== undefined && location === ProgressLocation.Window) recorded.progress.push(title);
    const cancelled = new EventEmitter<undefined>();
    recorded.cancel = () => cancelled.fire(undefined);
    const token = { isCancellationRequested: false, onCancellationRequested: cancelled.event };
    return task(
      { report: ({ message }: { message?: string }) => void recorded.progress.push(message ?? '') } as never,
      token as never,
    );
  }) as typeof vscode.window.withProgress,
} satisfies Partial<Record<keyof typeof vscode.window, unknown>>;

const trusted = new EventEmitter<void>();
/** Trusts the workspace, as the user does. */
export function grantTrust(): void {
  workspace.isTrusted = true;
  trusted.fire();
}

/** Set by tests. */
export const settings = new Map<string, unknown>();
export const workspace = {
  isTrusted: true,
  onDidGrantWorkspaceTrust: trusted.event,
  workspaceFolders: [] as vscode.WorkspaceFolder[],
  textDocuments: [] as vscode.TextDocument[],
  getConfiguration: () => ({
    get: (name: string, otherwise: unknown) => settings.get(name) ?? otherwise,
    inspect: (name: string) => ({ globalValue: settings.get(name) }),
  }),
  getWorkspaceFolder: ({ scheme, path }: vscode.Uri) =>
    workspace.workspaceFolders.find(({ uri: own }) => own.scheme === scheme && path.startsWith(own.path)),
  onDidChangeConfiguration: new EventEmitter<vscode.ConfigurationChangeEvent>().event,
  createFileSystemWatcher: () => ({
    onDidChange: fileChanges.event,
    onDidCreate: new EventEmitter<vscode.Uri>().event,
    onDidDelete: new EventEmitter<vscode.Uri>().event,
    dispose: () => undefined,
  }),
  asRelativePath: (path: string) => path,
  saveAll: () => Promise.resolve(true),
  fs: undefined as unknown as vscode.FileSystem,
} satisfies Partial<Record<keyof typeof vscode.workspace, unknown>>;

export class LanguageModelTextPart {
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
}
export class LanguageModelToolResult {
  readonly content: unknown[];
  constructor(content: unknown[]) {
    this.content = content;
  }
}
export const lm = {
  registerTool: (_name: string, _tool: unknown) => ({ dispose: () => undefined }),
};

export const commands = {
  executeCommand: () => Promise.resolve(undefined),
  registerCommand: (_name: string, _run: unknown) => ({ dispose: () => undefined }),
} satisfies Partial<Record<keyof typeof vscode.commands, unknown>>;

export const extensions = { getExtension: (): unknown => undefined };

export const env = {
  language: 'en',
  openExternal: (target: { toString(): string }) => {
    recorded.opened.push(target.toString());
    return Promise.resolve(true);
  },
} satisfies Partial<Record<keyof typeof vscode.env, unknown>>;

/** A secret store and a memento that last for the test. */
export function createStores() {
  const secrets = new Map<string, string>();
  const changed = new EventEmitter<vscode.SecretStorageChangeEvent>();
  const values = new Map<string, unknown>();
  return {
    secrets: {
      get: (key) => Promise.resolve(secrets.get(key)),
      // Like the editor, it reports only what changes something.
      async store(key, value) {
        const isNew = secrets.get(key) !== value;
        secrets.set(key, value);
        if (isNew) changed.fire({ key });
      },
      async delete(key) {
        if (secrets.delete(key)) changed.fire({ key });
      },
      onDidChange: changed.event,
    } satisfies vscode.SecretStorage,
    state: {
      keys: () => [...values.keys()],
      get: <T>(key: string, otherwise?: T) => (values.get(key) as T) ?? (otherwise as T),
      update: async (key: string, value: unknown) => void values.set(key, value),
    } satisfies vscode.Memento,
  };
}

/** A file system of another scheme, in memory. Tests name paths without a leading slash. */
export function createMemoryFs(
  initial: Record<string, string>,
  { writable = true, times = true }: { writable?: boolean; times?: boolean } = {},
) {
  const files = new Map<string, { data: Buffer; size: number; mtime: number }>();
  const listed = new Map<string, [string, number][]>();
  const reads: string[] = [];
  const lists: string[] = [];
  let now = 1_000_000;
  const write = (file: string, text: string | Uint8Array, time = (now += 1000)) => {
    const data = Buffer.from(text);
    files.set(`/${file}`, { data, size: data.length, mtime: times ? time : 0 });
  };
  const found = (target: vscode.Uri) => {
    const file = files.get(target.path);
    if (file === undefined) throw new FileSystemError(target, 'FileNotFound');
    return file;
  };
  for (const [file, text] of Object.entries(initial)) write(file, text);
  let refused = false;
  const api = {
    isWritableFileSystem: () => writable,
    stat: async (target) => ({ type: FileType.File, ctime: 0, ...found(target) }),
    readDirectory: async ({ path }) => {
      lists.push(path);
      const prefix = path === '/' ? '/' : `${path}/`;
      const entries = new Map<string, number>(listed.get(path));
      for (const file of files.keys()) {
        const [name = '', ...rest] = file.startsWith(prefix) ? file.slice(prefix.length).split('/') : [];
        if (name !== '') entries.set(name, rest.length > 0 ? FileType.Directory : FileType.File);
      }
      return [...entries];
    },
    readFile: async (target) => {
      const { data } = found(target);
      reads.push(target.path);
      return data;
    },
    writeFile: async (target, content) => {
      if (refused) throw new FileSystemError(target, 'NoPermissions');
      write(target.path.slice(1), content);
    },
    createDirectory: async () => undefined,
    delete: async ({ path }) => void files.delete(path),
  } satisfies Partial<vscode.FileSystem>;
  return {
    api: api as unknown as vscode.FileSystem,
    reads,
    lists,
    write,
    remove: (file: string) => files.delete(`/${file}`),
    text: (file: string) => files.get(`/${file}`)?.data.toString(),
    /** Whether writes fail, although the file system is writable according to the editor. */
    refuse: (now: boolean) => void (refused = now),
    /** Reports this size in bytes for a file. */
    grow: (file: string, size: number) => Object.assign(files.get(`/${file}`)!, { size }),
    /** Adds entries to a directory without files for them. */
    list: (path: string, entries: [string, number][]) => listed.set(path, entries),
  };
}
