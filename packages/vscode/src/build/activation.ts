// Loads and activates the built extension on a stub of the editor, to measure the extension's own time. Runs as a process
// and prints `{ load, activate, connections }`.
import { createRequire, Module } from 'node:module';
import { Socket } from 'node:net';
import { stubEditor } from './stub-editor.ts';

const [file = ''] = process.argv.slice(2);

const context = {
  subscriptions: [],
  storageUri: undefined,
  globalStorageUri: { fsPath: '/nonexistent' },
  extension: { packageJSON: { version: '0.0.0' } },
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

const began = performance.now();
const { activate } = createRequire(import.meta.url)(file) as { activate(context: unknown): void };
const loaded = performance.now();
activate(context);
const activated = performance.now();
console.log(JSON.stringify({ load: loaded - began, activate: activated - loaded, connections }));
// Work that goes on would need a real editor.
process.exit();
