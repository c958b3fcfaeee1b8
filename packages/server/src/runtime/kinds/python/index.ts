// Python applications and APIs: each framework is started by one of our scripts, with the packages of the content.
import { join } from 'node:path';
import { KINDS } from '@pressroom/api/contract';
import type { Tool } from '../../sandbox/docker/runtime-image.ts';
import type { Application, ApplicationEngine } from '../engine.ts';
import { application } from '../from-table.ts';
import { readableOf } from '../readable-of.ts';

/** Next to this file, and next to the built bundle; the second uses the first. */
const LAUNCH = join(import.meta.dirname, 'launch_python.py');
const LAUNCH_TORNADO = join(import.meta.dirname, 'launch_tornado.py');

const UVICORN = [
  'asyncio',
  'uvicorn',
  'uvicorn.loops.auto',
  'uvicorn.loops.asyncio',
  'uvicorn.lifespan.on',
  'uvicorn.protocols.http.auto',
  'uvicorn.protocols.websockets.auto',
  'anyio._backends._asyncio',
];
const STARLETTE = [
  'starlette.applications',
  'starlette.staticfiles',
  'starlette.middleware.sessions',
  'starlette.websockets',
];
const GUNICORN = ['gunicorn.app.base', 'gunicorn.arbiter', 'gunicorn.workers.gthread'];

interface Framework {
  /** Its name in the scripts. */
  readonly name: string;
  /** Replaces the usual script. */
  readonly script?: typeof LAUNCH_TORNADO;
  readonly tools?: readonly Tool[];
  /** What runs if the manifest names no entry point, instead of `app`. */
  readonly usual?: string;
  readonly prepares: readonly string[];
}
const WEBSOCKETS: readonly Tool[] = ['uvicorn', 'websockets'];

/** By appmode of the manifest. */
const FRAMEWORKS = {
  'python-fastapi': { name: 'asgi', tools: WEBSOCKETS, prepares: UVICORN },
  'python-api': { name: 'wsgi', tools: ['gunicorn'], prepares: GUNICORN },
  'python-shiny': { name: 'shiny', prepares: UVICORN },
  'python-streamlit': {
    name: 'streamlit',
    tools: WEBSOCKETS,
    prepares: [
      'streamlit',
      'streamlit.web.cli',
      'streamlit.starlette',
      'streamlit.components.v2.manifest_scanner',
      'streamlit.web.server.starlette.starlette_agent_routes',
      'streamlit.web.skills',
      'streamlit.runtime.scriptrunner.magic_funcs',
      'streamlit.dataframe.lazy_df_adapters',
      'packaging.tags',
      'anyio._core._fileio',
      ...STARLETTE,
      ...UVICORN,
    ],
  },
  'python-dash': { name: 'dash', tools: ['gunicorn'], prepares: ['dash', ...GUNICORN] },
  'python-gradio': {
    name: 'gradio',
    tools: WEBSOCKETS,
    prepares: ['gradio', 'fastapi', ...STARLETTE, ...UVICORN],
  },
  'python-marimo': { name: 'marimo', tools: WEBSOCKETS, prepares: ['marimo', ...STARLETTE, ...UVICORN] },
  'python-bokeh': {
    name: 'bokeh',
    script: LAUNCH_TORNADO,
    prepares: ['bokeh.command.bootstrap', 'bokeh.server.tornado'],
  },
  'python-panel': {
    name: 'panel',
    script: LAUNCH_TORNADO,
    prepares: ['panel', 'panel.command', 'bokeh.server.tornado'],
  },
  'jupyter-voila': {
    name: 'voila',
    script: LAUNCH_TORNADO,
    tools: ['ipykernel'],
    // All notebooks, with a list of them.
    usual: '.',
    prepares: ['voila.app'],
  },
} as const satisfies Readonly<Record<string, Framework>>;
type PythonKind = keyof typeof FRAMEWORKS;

export const pythonEngines = Object.fromEntries(
  (Object.keys(FRAMEWORKS) as PythonKind[]).map((kind) => [kind, engineOf(kind)]),
) as Record<PythonKind, ApplicationEngine>;

function engineOf(kind: PythonKind): ApplicationEngine {
  const framework: Framework = FRAMEWORKS[kind];
  const { tools, prepares } = framework;
  const name = KINDS[kind].app_mode === 'api' ? 'Python API' : KINDS[kind].label;
  return {
    ...application(kind),
    building: `Building ${name}...`,
    launching: `Launching ${name}...`,
    listens: 'socket',
    ...(tools !== undefined && { tools }),
    prepares,
    command: (started) => command(started, framework),
  };
}

function command({ environment, directory, socket, manifest }: Application, framework: Framework) {
  const { name, script = LAUNCH, usual = 'app' } = framework;
  return {
    file: environment.file,
    args: ['-u', script, name, socket, manifest.entrypoint ?? usual],
    cwd: directory,
    // Compiled modules would be written next to the sources.
    env: { PYTHONDONTWRITEBYTECODE: '1', ...environment.env },
    readable: [LAUNCH, LAUNCH_TORNADO, ...readableOf(environment)],
    writable: [directory],
  };
}
