// Shiny applications and interactive R Markdown documents: sessions over a WebSocket, R on demand.
import { join } from 'node:path';
import { INDEX_RMD } from '../../../bundles/archive/index.ts';
import type { ApplicationEngine, Application } from '../engine.ts';

const SCRIPT = join(import.meta.dirname, 'launch-shiny.R');

export const shiny: ApplicationEngine = {
  kind: 'application',
  language: 'R',
  building: 'Building Shiny application...',
  launching: 'Launching Shiny application...',
  tag: 'run_app',
  what: 'Shiny applications',
  sessions: true,
  listens: 'socket',
  command: (application) => command(application, []),
};

export const rmdShiny: ApplicationEngine = {
  kind: 'application',
  language: 'R',
  building: 'Building interactive R Markdown document...',
  launching: 'Launching interactive document...',
  tag: 'run_app',
  what: 'interactive R Markdown documents',
  sessions: true,
  listens: 'socket',
  command: (application) => command(application, [application.manifest.primary_rmd ?? INDEX_RMD]),
};

function command({ environment, directory, socket }: Application, args: string[]) {
  return {
    file: environment.file,
    args: ['--no-save', '--no-restore', SCRIPT, socket, ...args],
    cwd: directory,
    env: { ...environment.env, SHINY_SERVER_VERSION: '1.5.0' },
    readable: [SCRIPT, ...environment.readable],
    writable: [directory],
  };
}
