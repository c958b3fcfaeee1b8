// The engines: how content of each manifest appmode is prepared once its bundle is extracted.
import { ApiError } from '@pressroom/api';
import type { Manifest } from './archive/index.ts';

export interface Preparation {
  readonly directory: string;
  readonly manifest: Manifest;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface Engine {
  /** What the task's output says first. */
  readonly building: string;
  /** @throws ApiError when the content cannot be shown; the bundle before it stays active. */
  prepare(preparation: Preparation): Promise<void>;
}

const ENGINES: Readonly<Record<string, Engine>> = {
  static: { building: 'Building static content...', prepare: async () => undefined },
  'rmd-static': missing('Building R Markdown document...', 'R Markdown', 'R with rmarkdown, and pandoc'),
  'jupyter-static': missing('Building Jupyter notebook...', 'Jupyter notebooks', 'Python with nbconvert'),
  shiny: missing('Building Shiny application...', 'Shiny applications', 'R with shiny'),
  'rmd-shiny': missing(
    'Building interactive R Markdown document...',
    'interactive documents',
    'R with rmarkdown',
  ),
  api: missing('Building Plumber API...', 'Plumber APIs', 'R with plumber'),
  'python-api': missing('Building Python API...', 'Python APIs', 'Python with a WSGI server'),
  'python-fastapi': missing('Building Python API...', 'Python APIs', 'Python with uvicorn'),
  'tensorflow-saved-model': missing(
    'Building TensorFlow model...',
    'TensorFlow models',
    'a TensorFlow server',
  ),
};

export function findEngine(appmode: string): Engine {
  const engine = ENGINES[appmode];
  if (!engine) throw new ApiError(38, { message: `this server does not know the appmode ${appmode}` });
  return engine;
}

/** An engine that this server does not have: the deploy says so, and the bundle stays for a server that has it. */
function missing(building: string, what: string, needs: string): Engine {
  return {
    building,
    prepare: () =>
      Promise.reject(
        new ApiError(39, { message: `this server cannot run ${what}: it has no engine for them (${needs})` }),
      ),
  };
}
