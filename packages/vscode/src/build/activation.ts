// Loads the built extension and activates it, in a process of its own, on an editor that takes everything and does
// nothing: what is left is the extension's own time. Prints `{ load, activate, connections }`.
import { createRequire, Module } from 'node:module';
import { Socket } from 'node:net';

const [file = ''] = process.argv.slice(2);

const anything: object = new Proxy(function editor() {}, {
  get(_target, name) {
    if (name === Symbol.toPrimitive) return () => '';
    return name === 'then' || name === Symbol.iterator ? undefined : anything;
  },
  apply: () => anything,
  construct: () => anything,
  set: () => true,
});
const context = {
  subscriptions: [],
  storageUri: undefined,
  globalStorageUri: { fsPath: '/nonexistent' },
  extension: { packageJSON: { version: '0.0.0' } },
  globalState: { get: (_name: string, otherwise: unknown) => otherwise },
  secrets: anything,
};

const loader = Module as unknown as { _load(name: string, ...rest: unknown[]): unknown };
const own = loader._load;
loader._load = (name, ...rest) => (name === 'vscode' ? anything : own(name, ...rest));
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
// What it goes on with would look for a real editor.
process.exit();
