// Shiny applications and interactive R Markdown documents: sessions over a WebSocket, R on demand.
import { join } from 'node:path';
import { INDEX_RMD } from '@pressroom/api/contract';
import type { ApplicationEngine, Application } from '../engine.ts';
import { application } from '../from-table.ts';
import { readableOf } from '../readable-of.ts';

const SCRIPT = join(import.meta.dirname, 'launch-shiny.R');

export const shiny: ApplicationEngine = {
  ...application('shiny'),
  building: 'Building Shiny application...',
  launching: 'Launching Shiny application...',
  listens: 'socket',
  prepares: ['shiny'],
  command: (started) => command(started, []),
};

export const rmdShiny: ApplicationEngine = {
  ...application('rmd-shiny'),
  building: 'Building interactive R Markdown document...',
  launching: 'Launching interactive document...',
  listens: 'socket',
  prepares: ['shiny', 'rmarkdown'],
  command: (started) => command(started, [started.manifest.primary_rmd ?? INDEX_RMD]),
};

function command({ environment, directory, socket }: Application, args: string[]) {
  return {
    file: environment.file,
    args: ['--no-save', '--no-restore', SCRIPT, socket, ...args],
    cwd: directory,
    env: { ...environment.env, SHINY_SERVER_VERSION: '1.5.0' },
    readable: [SCRIPT, ...readableOf(environment)],
    writable: [directory],
  };
}
