// Python APIs: ASGI through uvicorn, WSGI through gunicorn.
import { join } from 'node:path';
import type { Application, ApplicationEngine } from '../engine.ts';
import { application } from '../from-table.ts';

const SCRIPT = join(import.meta.dirname, 'launch_python.py');

const common = {
  building: 'Building Python API...',
  launching: 'Launching Python API...',
  listens: 'socket',
} as const;

export const asgi: ApplicationEngine = {
  ...application('python-fastapi'),
  ...common,
  command: (started) => command(started, 'asgi'),
};

export const wsgi: ApplicationEngine = {
  ...application('python-api'),
  ...common,
  command: (started) => command(started, 'wsgi'),
};

function command({ environment, directory, socket, manifest }: Application, kind: 'asgi' | 'wsgi') {
  return {
    file: environment.file,
    args: ['-u', SCRIPT, kind, socket, manifest.entrypoint ?? 'app:app'],
    cwd: directory,
    // Compiled modules would be written beside the sources.
    env: { PYTHONDONTWRITEBYTECODE: '1', ...environment.env },
    readable: [SCRIPT, ...environment.readable],
    writable: [directory],
  };
}
