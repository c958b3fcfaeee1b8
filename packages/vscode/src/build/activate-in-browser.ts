// Loads and activates the built extension as a host in a browser does: without Node.js. Runs as a process, and fails where
// anything of it is needed.
import { readFileSync } from 'node:fs';
import { createContext, Script } from 'node:vm';
import { stubEditor } from './stub-editor.ts';

const [file = ''] = process.argv.slice(2);

/** As a worker has them. */
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
const module = { exports: {} as { activate(context: unknown): void } };
const require = (name: string) => {
  if (name === 'vscode') return stubEditor;
  throw new Error(`the extension needs ${name} in a browser`);
};
const source = `(function (module, exports, require) {${readFileSync(file, 'utf8')}\n})`;
const run = new Script(source).runInContext(createContext(globals)) as (...args: unknown[]) => void;
run(module, module.exports, require);
module.exports.activate({
  subscriptions: [],
  storageUri: undefined,
  globalStorageUri: { fsPath: '/nonexistent' },
  extension: { packageJSON: { version: '0.0.0' } },
  globalState: { get: (_name: string, otherwise: unknown) => otherwise },
  workspaceState: { get: () => undefined },
  secrets: stubEditor,
});
// Work that goes on would need a real editor.
process.exit();
