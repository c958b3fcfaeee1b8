// The engine of each kind of content: a new one needs a row in the contract's table, a folder here, and a line
// (CONTRIBUTING.md).
import { errors, findKind, type KindName } from '@pressroom/api/contract';
import type { Tool } from '../sandbox/docker/runtime-image.ts';
import type { ApplicationEngine, Engine } from './engine.ts';
import { jupyter } from './jupyter/index.ts';
import { plumber } from './plumber/index.ts';
import { nodejs, program } from './program/index.ts';
import { pythonEngines } from './python/index.ts';
import { quarto } from './quarto/index.ts';
import { rMarkdown } from './r-markdown/index.ts';
import { rmdShiny, shiny } from './shiny/index.ts';
import { tensorflow } from './tensorflow/index.ts';

/** The compiler requires an engine for every kind. */
const ENGINES: Readonly<Record<KindName, Engine>> = {
  static: { kind: 'files', building: 'Building static content...' },
  'rmd-static': rMarkdown,
  'jupyter-static': jupyter,
  'quarto-static': quarto,
  shiny,
  'rmd-shiny': rmdShiny,
  api: plumber,
  ...pythonEngines,
  nodejs,
  program,
  'tensorflow-saved-model': tensorflow,
};

/** @throws ApiError 38 for an appmode without an engine. */
export function findEngine(appmode: string): Engine {
  const engine = findKind(appmode) && ENGINES[appmode as KindName];
  if (!engine) throw errors.invalidManifest({ message: `this server does not know the appmode ${appmode}` });
  return engine;
}

/** For content with a launch record. @throws ApiError 38 */
export function findApplication(appmode: string): ApplicationEngine {
  const engine = findEngine(appmode);
  if (engine.kind !== 'application')
    throw errors.invalidManifest({ message: `content of the appmode ${appmode} has no processes` });
  return engine;
}

/**
 * Python packages that run content of a kind: from the system's Python, or installed with the content's. Frameworks not
 * listed bring their own.
 */
export function toolsOf(appmode: string): readonly Tool[] {
  const engine = findKind(appmode) && ENGINES[appmode as KindName];
  return engine === undefined || engine.kind === 'files' ? [] : (engine.tools ?? []);
}

/** All engines, in the order of the table. */
export function findEngines(): { appmode: string; engine: Engine }[] {
  return Object.entries(ENGINES).map(([appmode, engine]) => ({ appmode, engine }));
}

export type * from './engine.ts';
