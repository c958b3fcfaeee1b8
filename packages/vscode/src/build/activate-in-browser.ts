// Loads and activates the built extension like a host in a browser: without Node.js. Runs as a process; fails if it
// needs Node.js.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, Script } from 'node:vm';
import { stubEditor } from './stub-editor.ts';

const [dir = ''] = process.argv.slice(2);

/** Globals of a web worker. */
const OF_BROWSERS = [
  'AbortController',
  'AbortSignal',
  'Blob',
  'CompressionStream',
  'DecompressionStream',
  'TextDecoder',
  'TextEncoder',
  'URL',
  'URLSearchParams',
  'clearTimeout',
  'console',
  'crypto',
  'fetch',
  'performance',
  'queueMicrotask',
  'setTimeout',
  'structuredClone',
] as const;

const globals = Object.fromEntries(OF_BROWSERS.map((name) => [name, globalThis[name]]));
const module = { exports: {} as { activate(context: unknown): Promise<void> } };
/** The stub, which also reads the package's files. */
const workspace = new Proxy(stubEditor, {
  get: (stub, name) =>
    name === 'fs'
      ? { readFile: async (file: string) => readFileSync(join(dir, file)) }
      : Reflect.get(stub, name),
});
const Uri = { joinPath: (_root: unknown, ...names: string[]) => join(...names) };
const editor = new Proxy(stubEditor, {
  get: (stub, name) => (name === 'workspace' ? workspace : name === 'Uri' ? Uri : Reflect.get(stub, name)),
});
const require = (name: string) => {
  if (name === 'vscode') return editor;
  throw new Error(`the extension needs ${name} in a browser`);
};
const source = `(function (module, exports, require) {${readFileSync(join(dir, 'dist/web.js'), 'utf8')}\n})`;
const run = new Script(source).runInContext(createContext(globals)) as (...args: unknown[]) => void;
run(module, module.exports, require);
await module.exports.activate({
  subscriptions: [],
  storageUri: undefined,
  globalStorageUri: { fsPath: '/nonexistent' },
  extension: { packageJSON: JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as unknown },
  globalState: { get: (_name: string, otherwise: unknown) => otherwise },
  workspaceState: { get: () => undefined },
  secrets: stubEditor,
});
// Remaining work would need a real editor.
process.exit();
