// Plumber APIs.
import { join } from 'node:path';
import type { ApplicationEngine } from '../engine.ts';
import { application } from '../from-table.ts';
import { readableOf } from '../readable-of.ts';

const SCRIPT = join(import.meta.dirname, 'launch-plumber.R');

export const plumber: ApplicationEngine = {
  ...application('api'),
  building: 'Building Plumber API...',
  launching: 'Launching Plumber API...',
  listens: 'socket',
  prepares: ['plumber'],
  command({ environment, directory, socket, manifest }) {
    // Without a name, plumber itself tries entrypoint.R, then plumber.R.
    const entry = manifest.entrypoint === null ? [] : [manifest.entrypoint];
    return {
      file: environment.file,
      args: ['--no-save', '--no-restore', SCRIPT, socket, ...entry],
      cwd: directory,
      env: environment.env,
      readable: [SCRIPT, ...readableOf(environment)],
      writable: [directory],
    };
  },
};
