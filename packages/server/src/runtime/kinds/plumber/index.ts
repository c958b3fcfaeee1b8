// Plumber APIs.
import { join } from 'node:path';
import type { ApplicationEngine } from '../engine.ts';

const SCRIPT = join(import.meta.dirname, 'launch-plumber.R');

export const plumber: ApplicationEngine = {
  kind: 'application',
  language: 'R',
  building: 'Building Plumber API...',
  launching: 'Launching Plumber API...',
  tag: 'run_api',
  what: 'Plumber APIs',
  sessions: false,
  listens: 'socket',
  command({ environment, directory, socket, manifest }) {
    // Without a name, plumber itself looks for entrypoint.R, then plumber.R.
    const entry = manifest.entrypoint === null ? [] : [manifest.entrypoint];
    return {
      file: environment.file,
      args: ['--no-save', '--no-restore', SCRIPT, socket, ...entry],
      cwd: directory,
      env: environment.env,
      readable: [SCRIPT, ...environment.readable],
      writable: [directory],
    };
  },
};
