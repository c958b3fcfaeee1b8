// Loads and activates the built extension with a stub of the editor, to measure its own time. Runs as a process and
// prints `{ load, activate, connections, code }`.
import { readFileSync, statSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { stubEditor } from './stub-editor.ts';

const [dir = ''] = process.argv.slice(2);

const context = {
  subscriptions: [],
  storageUri: undefined,
  globalStorageUri: { fsPath: '/nonexistent' },
  extension: { packageJSON: JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as unknown },
  globalState: { get: (_name: string, otherwise: unknown) => otherwise },
  secrets: stubEditor,
};

const loader = Module as unknown as { _load(name: string, ...rest: unknown[]): unknown };
const own = loader._load;
loader._load = (name, ...rest) => (name === 'vscode' ? stubEditor : own(name, ...rest));
let connections = 0;
Socket.prototype.connect = function connect() {
  connections += 1;
  throw new Error('no connection before somebody asks for one');
};

const require = createRequire(import.meta.url);
const began = performance.now();
const { activate } = require(join(dir, 'dist/extension.js')) as {
  activate(context: unknown): void;
};
const loaded = performance.now();
activate(context);
const activated = performance.now();
const code = Object.keys(require.cache).reduce((sum, file) => sum + statSync(file).size, 0);
console.log(JSON.stringify({ load: loaded - began, activate: activated - loaded, connections, code }));
// Remaining work would need a real editor.
process.exit();
