// Python APIs: ASGI through uvicorn, WSGI through gunicorn.
import { join } from 'node:path';
import type { Application, ApplicationEngine } from '../engine.ts';

const SCRIPT = join(import.meta.dirname, 'launch_python.py');

const common = {
  kind: 'application',
  language: 'Python',
  building: 'Building Python API...',
  launching: 'Launching Python API...',
  tag: 'run_api',
  sessions: false,
  listens: 'socket',
} as const;

export const asgi: ApplicationEngine = {
  ...common,
  what: 'Python ASGI APIs',
  command: (application) => command(application, 'asgi'),
};

export const wsgi: ApplicationEngine = {
  ...common,
  what: 'Python WSGI APIs',
  command: (application) => command(application, 'wsgi'),
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
