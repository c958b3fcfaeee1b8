// Programs with a start command of their publisher: Node.js applications by npm, others by their command.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { errors } from '@pressroom/api/contract';
import type { ApplicationEngine } from '../engine.ts';
import { application } from '../from-table.ts';
import { requirePorts } from '../require-ports.ts';

/** Next to this file, and next to the built bundle. */
const LISTEN_ON_SOCKET = join(import.meta.dirname, 'listen-on-socket.cjs');
/** Tells Node.js applications that they run in production. */
const NODE_ENV = { NODE_ENV: 'production', npm_config_update_notifier: 'false' };

export const nodejs: ApplicationEngine = {
  ...application('nodejs'),
  program: {
    name: 'Node.js and npm',
    version: async (_config, { findNode }) => (await findNode())?.version ?? '',
    async find(_config, installations) {
      const node = await installations.findNode();
      if (node !== null) {
        const { version, file, image } = node;
        return {
          language: null,
          version,
          file,
          env: {},
          readable: [],
          ...(image !== undefined && { image }),
        };
      }
      const message = 'Node.js applications need Node.js and npm in /usr/bin or /usr/local/bin of the server';
      throw errors.actionNotSupported({ message });
    },
  },
  building: 'Building Node.js application...',
  launching: 'Launching Node.js application...',
  listens: 'socket',
  install: (directory) => ({
    file: 'npm',
    args: [
      existsSync(join(directory, 'package-lock.json')) ? 'ci' : 'install',
      '--omit=dev',
      '--no-audit',
      '--no-fund',
    ],
    cwd: directory,
    env: NODE_ENV,
    writable: [directory],
  }),
  command: ({ directory, socket, environment }) => ({
    file: 'npm',
    args: ['start', '--silent'],
    cwd: directory,
    env: {
      ...NODE_ENV,
      PORT: '3000',
      PRESSROOM_SOCKET: socket,
      NODE_OPTIONS: `--require=${LISTEN_ON_SOCKET}${frugal(environment.version)}`,
    },
    readable: [LISTEN_ON_SOCKET],
    writable: [directory],
  }),
};

export const program: ApplicationEngine = {
  ...application('program'),
  program: {
    name: null,
    version: async () => '',
    find(config, { anyImage }) {
      requirePorts(config, 'programs');
      const image = anyImage === null ? {} : { image: anyImage };
      return { language: null, version: '', file: '/bin/sh', env: {}, readable: [], ...image };
    },
  },
  building: 'Building program...',
  launching: 'Launching program...',
  listens: 'port',
  command({ directory, manifest, port, environment }) {
    if (manifest.entrypoint === null)
      throw errors.invalidManifest({
        message: 'the manifest does not say how the program is started (entrypoint)',
      });
    return {
      file: environment.file,
      args: ['-c', manifest.entrypoint],
      cwd: directory,
      env: { PORT: String(port), HOST: '127.0.0.1' },
      writable: [directory],
    };
  },
};

/**
 * WebAssembly in fetch() reserves guard memory beyond the address space limit that applies without control groups.
 * Node.js can do without it since 20.15 and 22.2.
 */
function frugal(version: string): string {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const canDoWithout = major > 22 || (major === 22 && minor >= 2) || (major === 20 && minor >= 15);
  return canDoWithout ? ' --disable-wasm-trap-handler' : '';
}
