// The kinds of content: one row each, from which detection, help, labels and the server's engine know the kind.
import type { AppMode } from './operations/index.ts';

/** `files` are served as they are, a `document` is rendered, an `application` runs and answers HTTP. */
export type Engine = 'files' | 'document' | 'application';
export type Language = 'R' | 'Python';

/** How a directory of this kind is recognised. */
export type Detection =
  /** By Python code at the top level that makes an application with one of these constructors, or is one itself. */
  | {
      readonly by: 'python';
      /** What the constructors are called for people, by their full names in Python. */
      readonly constructors: Readonly<Record<string, string>>;
      /** Bare functions of this protocol are of this kind, too. */
      readonly protocol?: 'asgi' | 'wsgi';
      /** A file that imports this module is of this kind as it stands, where it also has that call. */
      readonly script?: { readonly imports: string; readonly calls?: RegExp };
      /** What the entry point names, instead of `module:object`. */
      readonly entry?: 'file';
      /** What such code makes: completes the sentence "so it is …". */
      readonly what: string;
    }
  /** By a file at the top of the directory with a text in it. */
  | {
      readonly by: 'file';
      readonly name: RegExp;
      readonly text: RegExp;
      /** Names that are preferred where several files match. */
      readonly usual: RegExp;
      /** What such a file is: completes the sentence "report.ipynb is …". */
      readonly why: string;
    }
  /** By a detector of its own below `publish/detect`. */
  | { readonly by: 'static' | 'r-markdown' | 'quarto' | 'shiny' | 'plumber' | 'node' | 'program' };

interface Row {
  /** `app_mode` of the contract's answers; several kinds can share one. */
  readonly app_mode: Exclude<AppMode, 'unknown'>;
  /** The contract has no word for this kind: its `app_mode` is the nearest one. */
  readonly isNearest?: true;
  /** For people, one of it. */
  readonly label: string;
  /** For people, all of it; begins a sentence where the language allows. */
  readonly plural: string;
  /** What kinds with the same app_mode have in common. */
  readonly noun: 'web page' | 'document' | 'application' | 'API' | 'model';
  readonly engine: Engine;
  /** What has to be installed to run it, beside its packages; null for neither, or where the manifest says which. */
  readonly language: Language | null;
  /** Field of the manifest's metadata that names the file it opens with. */
  readonly primary: 'primary_html' | 'primary_rmd' | 'entrypoint' | null;
  /** For an application: what its processes are called in the list of jobs. */
  readonly tag?: 'run_app' | 'run_api' | 'run_tensorflow';
  /** For an application: it speaks Shiny's protocol of sessions over a WebSocket, below `/websocket/` and `/session/`. */
  readonly sessions?: boolean;
  /** For an application: loading one of its pages is a visit. Neither sessions nor APIs are. */
  readonly countsVisits?: true;
  /** For an application: its processes remember their visitors, who come back to the one that served their page. */
  readonly remembersVisitors?: true;
  /** Null: publishers must name it, or bring a manifest. */
  readonly detection: Detection | null;
}

/** What applications have in common that the contract has no word for; those in Python are nearest to Shiny's. */
function application<
  const Label extends string,
  const Mode extends 'shiny' | 'api' = 'shiny',
  const Of extends Language | null = 'Python',
>(label: Label, plural: string, app_mode: Mode = 'shiny' as Mode, language: Of = 'Python' as Of) {
  return {
    app_mode,
    isNearest: true,
    label,
    plural,
    noun: 'application',
    engine: 'application',
    language,
    primary: null,
    tag: 'run_app',
    countsVisits: true,
    remembersVisitors: true,
  } as const;
}

/** By `metadata.appmode` of the manifest, in the order of detection among equals. */
export const KINDS = {
  shiny: {
    app_mode: 'shiny',
    label: 'Shiny application',
    plural: 'Shiny applications',
    noun: 'application',
    engine: 'application',
    language: 'R',
    primary: null,
    tag: 'run_app',
    sessions: true,
    detection: { by: 'shiny' },
  },
  api: {
    app_mode: 'api',
    label: 'Plumber API',
    plural: 'Plumber APIs',
    noun: 'API',
    engine: 'application',
    language: 'R',
    primary: null,
    tag: 'run_api',
    detection: { by: 'plumber' },
  },
  'python-fastapi': {
    app_mode: 'api',
    label: 'FastAPI application',
    plural: 'Python ASGI APIs',
    noun: 'API',
    engine: 'application',
    language: 'Python',
    primary: null,
    tag: 'run_api',
    detection: {
      by: 'python',
      protocol: 'asgi',
      what: 'a Python API',
      constructors: {
        'fastapi.FastAPI': 'FastAPI',
        'fastapi.applications.FastAPI': 'FastAPI',
        'starlette.applications.Starlette': 'Starlette',
        'litestar.Litestar': 'Litestar',
        'quart.Quart': 'Quart',
        'falcon.asgi.App': 'Falcon (ASGI)',
        'django.core.asgi.get_asgi_application': 'Django',
      },
    },
  },
  'python-api': {
    app_mode: 'api',
    label: 'Python API',
    plural: 'Python WSGI APIs',
    noun: 'API',
    engine: 'application',
    language: 'Python',
    primary: null,
    tag: 'run_api',
    detection: {
      by: 'python',
      protocol: 'wsgi',
      what: 'a Python API',
      constructors: {
        'flask.Flask': 'Flask',
        'flask.app.Flask': 'Flask',
        'bottle.Bottle': 'Bottle',
        'bottle.default_app': 'Bottle',
        'falcon.App': 'Falcon',
        'falcon.API': 'Falcon',
        'django.core.wsgi.get_wsgi_application': 'Django',
      },
    },
  },
  'python-shiny': {
    ...application('Shiny for Python application', 'Shiny for Python applications'),
    detection: {
      by: 'python',
      what: 'a Shiny for Python application',
      constructors: { 'shiny.App': 'Shiny' },
      script: { imports: 'shiny.express' },
    },
  },
  'python-streamlit': {
    ...application('Streamlit application', 'Streamlit applications'),
    detection: {
      by: 'python',
      what: 'a Streamlit application',
      constructors: {},
      script: { imports: 'streamlit' },
      entry: 'file',
    },
  },
  'python-dash': {
    ...application('Dash application', 'Dash applications'),
    detection: {
      by: 'python',
      what: 'a Dash application',
      constructors: { 'dash.Dash': 'Dash', 'dash.dash.Dash': 'Dash' },
    },
  },
  'python-gradio': {
    ...application('Gradio application', 'Gradio applications'),
    detection: {
      by: 'python',
      what: 'a Gradio application',
      constructors: {
        'gradio.Interface': 'Gradio',
        'gradio.Blocks': 'Gradio',
        'gradio.ChatInterface': 'Gradio',
        'gradio.TabbedInterface': 'Gradio',
      },
      script: { imports: 'gradio', calls: /\.launch[ \t]*\(/ },
    },
  },
  'python-panel': {
    ...application('Panel application', 'Panel applications'),
    detection: {
      by: 'python',
      what: 'a Panel application',
      constructors: {},
      script: { imports: 'panel', calls: /\.servable[ \t]*\(/ },
      entry: 'file',
    },
  },
  'python-bokeh': {
    ...application('Bokeh application', 'Bokeh applications'),
    detection: {
      by: 'python',
      what: 'a Bokeh application',
      constructors: {},
      script: { imports: 'bokeh', calls: /\bcurdoc[ \t]*\(/ },
      entry: 'file',
    },
  },
  'python-marimo': {
    ...application('marimo notebook', 'marimo notebooks'),
    detection: {
      by: 'python',
      what: 'a marimo notebook',
      constructors: { 'marimo.App': 'marimo' },
      entry: 'file',
    },
  },
  'rmd-static': {
    app_mode: 'rmd-static',
    label: 'R Markdown document',
    plural: 'R Markdown documents',
    noun: 'document',
    engine: 'document',
    language: 'R',
    primary: 'primary_rmd',
    detection: { by: 'r-markdown' },
  },
  'rmd-shiny': {
    app_mode: 'rmd-shiny',
    label: 'Interactive R Markdown document',
    plural: 'interactive R Markdown documents',
    noun: 'application',
    engine: 'application',
    language: 'R',
    primary: 'primary_rmd',
    tag: 'run_app',
    sessions: true,
    // The detector of rmd-static tells them apart.
    detection: null,
  },
  'quarto-static': {
    app_mode: 'rmd-static',
    isNearest: true,
    label: 'Quarto document',
    plural: 'Quarto documents',
    noun: 'document',
    engine: 'document',
    language: null,
    primary: 'primary_rmd',
    detection: { by: 'quarto' },
  },
  'jupyter-voila': {
    ...application('Voila notebook', 'Voila notebooks'),
    primary: 'entrypoint',
    detection: {
      by: 'file',
      name: /\.ipynb$/,
      text: /\b(?:import|from) +ipywidgets\b|vnd\.jupyter\.widget-view/,
      usual: /^(index|notebook|dashboard|app)\.ipynb$/i,
      why: 'a Jupyter notebook with controls that Voila runs for each visitor',
    },
  },
  'jupyter-static': {
    app_mode: 'jupyter-static',
    label: 'Jupyter notebook',
    plural: 'Jupyter notebooks',
    noun: 'document',
    engine: 'document',
    language: 'Python',
    primary: 'entrypoint',
    detection: {
      by: 'file',
      name: /\.ipynb$/,
      text: /"cells"\s*:|"nbformat"\s*:|"worksheets"\s*:/,
      usual: /^(index|notebook|report)\.ipynb$/i,
      why: 'a Jupyter notebook that the server runs and renders',
    },
  },
  static: {
    app_mode: 'static',
    label: 'Web page',
    plural: 'Static content',
    noun: 'web page',
    engine: 'files',
    language: null,
    primary: 'primary_html',
    detection: { by: 'static' },
  },
  nodejs: {
    ...application('Node.js application', 'Node.js applications', 'api', null),
    detection: { by: 'node' },
  },
  program: {
    ...application('Program', 'Programs', 'api', null),
    detection: { by: 'program' },
  },
  'tensorflow-saved-model': {
    app_mode: 'tensorflow-saved-model',
    label: 'TensorFlow model',
    plural: 'TensorFlow models',
    noun: 'model',
    engine: 'application',
    language: null,
    primary: null,
    tag: 'run_tensorflow',
    detection: null,
  },
} as const satisfies Readonly<Record<string, Row>>;

/** `metadata.appmode` of a manifest. */
export type KindName = keyof typeof KINDS;
export interface ContentKind extends Row {
  readonly appmode: string;
}

/** The rows, in the order of the table. */
export const kinds: readonly ContentKind[] = Object.entries<Row>(KINDS).map(([appmode, row]) => ({
  appmode,
  ...row,
}));

/** The kind of a manifest's appmode; undefined for one that this version does not know. */
export function findKind(appmode: string): ContentKind | undefined {
  return kinds.find((kind) => kind.appmode === appmode);
}

/** What people call content of a manifest's appmode; the appmode itself where it is not known. */
export function kindLabel(appmode: string): string {
  return findKind(appmode)?.label ?? appmode;
}

/**
 * The kinds that an app_mode stands for: the contract's does not tell APIs in R and in Python apart, that of today's
 * servers does for Python.
 */
export function kindsOf(appMode: string): readonly ContentKind[] {
  const sharing = kinds.filter((kind) => kind.app_mode === appMode && !kind.isNearest);
  return sharing.length > 0 ? sharing : kinds.filter((kind) => kind.appmode === appMode);
}

/** What people call content of an app_mode: the label of its only kind, or what its kinds have in common. */
export function appModeLabel(appMode: string): string {
  const [first, ...others] = kindsOf(appMode);
  if (first === undefined) return appMode;
  return others.length === 0 ? first.label : first.noun;
}

/** How content of an app_mode is served; undefined before the first deploy. */
export function engineOf(appMode: string): Engine | undefined {
  return kindsOf(appMode)[0]?.engine;
}

/** Whether visits or sessions of this kind are counted: those of APIs are not. */
export function isUseCounted({ engine, sessions = false, countsVisits }: ContentKind): boolean {
  return engine !== 'application' || sessions || countsVisits === true;
}

/** The same of content of an app_mode; true before the first deploy. */
export function countsUse(appMode: string): boolean {
  return kindsOf(appMode).every(isUseCounted);
}
