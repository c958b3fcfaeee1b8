// Python applications and APIs: each framework is started by a script of ours, with the packages of the content.
import { join } from 'node:path';
import { KINDS } from '@pressroom/api/contract';
import type { Application, ApplicationEngine } from '../engine.ts';
import { application } from '../from-table.ts';
import { readableOf } from '../readable-of.ts';

/** Beside this file, and beside the bundle that the build makes; the second uses the first. */
const LAUNCH = join(import.meta.dirname, 'launch_python.py');
const LAUNCH_TORNADO = join(import.meta.dirname, 'launch_tornado.py');

/** By the word of the manifest, what the scripts call the framework. */
const FRAMEWORKS = {
  'python-fastapi': 'asgi',
  'python-api': 'wsgi',
  'python-shiny': 'asgi',
  'python-streamlit': 'streamlit',
  'python-dash': 'dash',
  'python-gradio': 'gradio',
  'python-marimo': 'marimo',
  'python-bokeh': 'bokeh',
  'python-panel': 'panel',
  'jupyter-voila': 'voila',
} as const;

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
const PREPARES: Readonly<Record<(typeof FRAMEWORKS)[PythonKind], readonly string[]>> = {
  asgi: UVICORN,
  wsgi: GUNICORN,
  streamlit: [
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
  dash: ['dash', ...GUNICORN],
  gradio: ['gradio', 'fastapi', ...STARLETTE, ...UVICORN],
  marimo: ['marimo', ...STARLETTE, ...UVICORN],
  bokeh: ['bokeh.command.bootstrap', 'bokeh.server.tornado'],
  panel: ['panel', 'panel.command', 'bokeh.server.tornado'],
  voila: ['voila.app'],
};
export type PythonKind = keyof typeof FRAMEWORKS;
const TORNADO: ReadonlySet<PythonKind> = new Set(['python-bokeh', 'python-panel', 'jupyter-voila']);

export const pythonEngines = Object.fromEntries(
  (Object.keys(FRAMEWORKS) as PythonKind[]).map((kind) => [kind, engineOf(kind)]),
) as Record<PythonKind, ApplicationEngine>;

function engineOf(kind: PythonKind): ApplicationEngine {
  const name = KINDS[kind].app_mode === 'api' ? 'Python API' : KINDS[kind].label;
  return {
    ...application(kind),
    building: `Building ${name}...`,
    launching: `Launching ${name}...`,
    listens: 'socket',
    prepares: PREPARES[FRAMEWORKS[kind]],
    command: (started) => command(started, kind),
  };
}

function command({ environment, directory, socket, manifest }: Application, kind: PythonKind) {
  const script = TORNADO.has(kind) ? LAUNCH_TORNADO : LAUNCH;
  return {
    file: environment.file,
    args: ['-u', script, FRAMEWORKS[kind], socket, manifest.entrypoint ?? 'app'],
    cwd: directory,
    // Compiled modules would be written beside the sources.
    env: { PYTHONDONTWRITEBYTECODE: '1', ...environment.env },
    readable: [LAUNCH, LAUNCH_TORNADO, ...readableOf(environment)],
    writable: [directory],
  };
}
