// The kinds of content: detection, help, labels, documentation and the server's engine derive from these rows.

/** `app_mode` of the contract: a closed list, clients know no others. */
export const APP_MODES = [
  'rmd-static',
  'shiny',
  'rmd-shiny',
  'static',
  'api',
  'jupyter-static',
  'tensorflow-saved-model',
  'unknown',
] as const;
export type AppMode = (typeof APP_MODES)[number];
/** The default R Markdown document. */
export const INDEX_RMD = 'index.Rmd';

/** `files` are served as they are, a `document` is rendered, an `application` runs and answers HTTP. */
export type Engine = 'files' | 'document' | 'application';
export type Language = 'R' | 'Python';
/** Languages of labels. */
export type LabelLanguage = 'en' | 'de';

/** How a directory of this kind is detected. */
export type Detection =
  /** By Python code at top level that calls one of these constructors, or is one itself. */
  | {
      readonly by: 'python';
      /** Display names of the constructors, by their full names in Python. */
      readonly constructors: Readonly<Record<string, string>>;
      /** Bare functions of this protocol count, too. */
      readonly protocol?: 'asgi' | 'wsgi';
      /**
       * A script that imports this module is of this kind by itself, if it also has that call: of a method, with a
       * leading dot. The example shows the call to those who lack it.
       */
      readonly script?: { readonly imports: string; readonly calls?: string; readonly example?: string };
      /** Form of the entry point, instead of `module:object`. */
      readonly entry?: 'file';
      /** Completes the sentence "so it is …". */
      readonly what: string;
    }
  /** By a top-level file that contains a text. */
  | {
      readonly by: 'file';
      readonly name: RegExp;
      readonly text: RegExp;
      /** Preferred names if several files match. */
      readonly usual: RegExp;
      /** Completes the sentence "report.ipynb is …". */
      readonly why: string;
      /** For the documentation: how it is detected. */
      readonly sign: string;
    }
  /** By its own detector in `publish/detect`. */
  | {
      readonly by: 'static' | 'r-markdown' | 'quarto' | 'shiny' | 'plumber' | 'node' | 'program';
      /** For the documentation: how it is detected. */
      readonly sign: string;
    };

interface Row {
  /** `app_mode` of the contract's answers; several kinds can share one. */
  readonly app_mode: Exclude<AppMode, 'unknown'>;
  /** The contract lacks this kind: its `app_mode` is the closest one. */
  readonly isNearest?: true;
  /** Display name in the singular. */
  readonly label: string;
  /** Display name in German. */
  readonly german: string;
  /** Display name in the plural, capitalised. */
  readonly plural: string;
  /** Common noun of the kinds with the same app_mode. */
  readonly noun: keyof typeof GERMAN_NOUNS;
  readonly engine: Engine;
  /** Required language, in addition to its packages; null for none, or if the manifest decides. */
  readonly language: Language | null;
  /** Field of the manifest's metadata with the main file. */
  readonly primary: 'primary_html' | 'primary_rmd' | 'entrypoint' | null;
  /** The main file if that field is empty. */
  readonly usualPrimary?: string;
  /** Names of files that come first where people say what it starts from. */
  readonly startsFrom?: RegExp;
  /** For applications: tag of their processes in the list of jobs. */
  readonly tag?: 'run_app' | 'run_api' | 'run_tensorflow';
  /** For applications: Shiny's session protocol over a WebSocket, below `/websocket/` and `/session/`. */
  readonly sessions?: boolean;
  /** For applications: loading a page is a visit. Not with sessions, and not for APIs. */
  readonly countsVisits?: true;
  /** For applications: processes keep state of visitors, who return to the one that served their page. */
  readonly remembersVisitors?: true;
  /** Null if publishers must name it, or bring a manifest. */
  readonly detection: Detection | null;
  /**
   * For the documentation: requirements on the server, and how it is served if it differs from other kinds of its
   * engine.
   */
  readonly requires: string;
  readonly served?: string;
}

const GERMAN_NOUNS = {
  'web page': 'Webseite',
  document: 'Dokument',
  application: 'Anwendung',
  API: 'API',
  model: 'Modell',
} as const;

/** Common properties of applications unknown to the contract; those in Python are closest to Shiny's. */
function application<
  const Label extends string,
  const Mode extends 'shiny' | 'api' = 'shiny',
  const Of extends Language | null = 'Python',
>(
  label: Label,
  plural: string,
  german: string,
  app_mode: Mode = 'shiny' as Mode,
  language: Of = 'Python' as Of,
) {
  return {
    app_mode,
    isNearest: true,
    label,
    german,
    plural,
    noun: 'application',
    engine: 'application',
    language,
    primary: null,
    startsFrom: language === 'Python' ? /\.py$/i : /./,
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
    german: 'Shiny-Anwendung',
    plural: 'Shiny applications',
    noun: 'application',
    engine: 'application',
    language: 'R',
    primary: null,
    startsFrom: /\.r$/i,
    tag: 'run_app',
    sessions: true,
    detection: { by: 'shiny', sign: '`app.R`, or `server.R` with `ui.R` or `www/index.html`' },
    requires: 'R, shiny',
  },
  api: {
    app_mode: 'api',
    label: 'Plumber API',
    german: 'Plumber-API',
    plural: 'Plumber APIs',
    noun: 'API',
    engine: 'application',
    language: 'R',
    primary: null,
    startsFrom: /\.r$/i,
    tag: 'run_api',
    detection: {
      by: 'plumber',
      sign: '`plumber.R`, `entrypoint.R`, `_server.yml` of plumber2, or annotations such as `#* @get`',
    },
    requires: 'R, plumber or plumber2',
    served: 'run on demand; documentation at `__docs__/`',
  },
  'python-fastapi': {
    app_mode: 'api',
    label: 'FastAPI application',
    german: 'FastAPI-Anwendung',
    plural: 'Python ASGI APIs',
    noun: 'API',
    engine: 'application',
    language: 'Python',
    primary: null,
    startsFrom: /\.py$/i,
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
    requires: 'Python 3, uvicorn; websockets for WebSockets',
  },
  'python-api': {
    app_mode: 'api',
    label: 'Python API',
    german: 'Python-API',
    plural: 'Python WSGI APIs',
    noun: 'API',
    engine: 'application',
    language: 'Python',
    primary: null,
    startsFrom: /\.py$/i,
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
    requires: 'Python 3, gunicorn',
  },
  'python-shiny': {
    ...application(
      'Shiny for Python application',
      'Shiny for Python applications',
      'Shiny-für-Python-Anwendung',
    ),
    detection: {
      by: 'python',
      what: 'a Shiny for Python application',
      constructors: { 'shiny.App': 'Shiny' },
      script: { imports: 'shiny.express' },
    },
    // The framework includes uvicorn and websockets.
    requires: 'Python 3',
  },
  'python-streamlit': {
    ...application('Streamlit application', 'Streamlit applications', 'Streamlit-Anwendung'),
    detection: {
      by: 'python',
      what: 'a Streamlit application',
      constructors: {},
      script: { imports: 'streamlit' },
      entry: 'file',
    },
    requires: 'Python 3, uvicorn, websockets',
  },
  'python-dash': {
    ...application('Dash application', 'Dash applications', 'Dash-Anwendung'),
    detection: {
      by: 'python',
      what: 'a Dash application',
      constructors: { 'dash.Dash': 'Dash', 'dash.dash.Dash': 'Dash' },
    },
    requires: 'Python 3, gunicorn',
  },
  'python-gradio': {
    ...application('Gradio application', 'Gradio applications', 'Gradio-Anwendung'),
    detection: {
      by: 'python',
      what: 'a Gradio application',
      constructors: {
        'gradio.Interface': 'Gradio',
        'gradio.Blocks': 'Gradio',
        'gradio.ChatInterface': 'Gradio',
        'gradio.TabbedInterface': 'Gradio',
      },
      script: { imports: 'gradio', calls: '.launch' },
    },
    requires: 'Python 3, uvicorn, websockets',
  },
  'python-panel': {
    ...application('Panel application', 'Panel applications', 'Panel-Anwendung'),
    detection: {
      by: 'python',
      what: 'a Panel application',
      constructors: {},
      script: { imports: 'panel', calls: '.servable', example: 'page.servable()' },
      entry: 'file',
    },
    requires: 'Python 3',
  },
  'python-bokeh': {
    ...application('Bokeh application', 'Bokeh applications', 'Bokeh-Anwendung'),
    detection: {
      by: 'python',
      what: 'a Bokeh application',
      constructors: {},
      script: { imports: 'bokeh', calls: 'curdoc', example: 'curdoc().add_root(page)' },
      entry: 'file',
    },
    requires: 'Python 3',
  },
  'python-marimo': {
    ...application('marimo notebook', 'marimo notebooks', 'marimo-Notebook'),
    detection: {
      by: 'python',
      what: 'a marimo notebook',
      constructors: { 'marimo.App': 'marimo' },
      entry: 'file',
    },
    requires: 'Python 3, uvicorn, websockets',
  },
  'rmd-static': {
    app_mode: 'rmd-static',
    label: 'R Markdown document',
    german: 'R-Markdown-Dokument',
    plural: 'R Markdown documents',
    noun: 'document',
    engine: 'document',
    language: 'R',
    primary: 'primary_rmd',
    usualPrimary: INDEX_RMD,
    startsFrom: /\.rmd$/i,
    detection: {
      by: 'r-markdown',
      sign: 'a `.Rmd` document; with `_site.yml` or `_bookdown.yml`, a site or book',
    },
    requires: 'R, rmarkdown, pandoc; bookdown for books',
  },
  'rmd-shiny': {
    app_mode: 'rmd-shiny',
    label: 'Interactive R Markdown document',
    german: 'Interaktives R-Markdown-Dokument',
    plural: 'Interactive R Markdown documents',
    noun: 'application',
    engine: 'application',
    language: 'R',
    primary: 'primary_rmd',
    usualPrimary: INDEX_RMD,
    startsFrom: /\.rmd$/i,
    tag: 'run_app',
    sessions: true,
    detection: { by: 'r-markdown', sign: 'a `.Rmd` document with `runtime: shiny` or `server: shiny`' },
    requires: 'R, rmarkdown, pandoc',
  },
  'quarto-static': {
    app_mode: 'rmd-static',
    isNearest: true,
    label: 'Quarto document',
    german: 'Quarto-Dokument',
    plural: 'Quarto documents',
    noun: 'document',
    engine: 'document',
    language: null,
    primary: 'primary_rmd',
    startsFrom: /\.qmd$/i,
    detection: { by: 'quarto', sign: 'a `.qmd` document, or `_quarto.yml` of a website, book or manuscript' },
    requires:
      '`quarto`; for code in R also R, knitr and rmarkdown, for code in Python also Python 3 and ipykernel',
  },
  'jupyter-voila': {
    ...application('Voila notebook', 'Voila notebooks', 'Voila-Notebook'),
    primary: 'entrypoint',
    startsFrom: /\.ipynb$/,
    detection: {
      by: 'file',
      name: /\.ipynb$/,
      text: /\b(?:import|from) +ipywidgets\b|vnd\.jupyter\.widget-view/,
      usual: /^(index|notebook|dashboard|app)\.ipynb$/i,
      why: 'a Jupyter notebook with controls that Voila runs for each visitor',
      sign: 'an `.ipynb` notebook that imports `ipywidgets` or has widgets in its output',
    },
    requires: 'Python 3, ipykernel',
  },
  'jupyter-static': {
    app_mode: 'jupyter-static',
    label: 'Jupyter notebook',
    german: 'Jupyter-Notebook',
    plural: 'Jupyter notebooks',
    noun: 'document',
    engine: 'document',
    language: 'Python',
    primary: 'entrypoint',
    startsFrom: /\.ipynb$/,
    detection: {
      by: 'file',
      name: /\.ipynb$/,
      text: /"cells"\s*:|"nbformat"\s*:|"worksheets"\s*:/,
      usual: /^(index|notebook|report)\.ipynb$/i,
      why: 'a Jupyter notebook that the server runs and renders',
      sign: 'any other `.ipynb` notebook',
    },
    requires: 'Python 3, nbconvert, ipykernel',
  },
  static: {
    app_mode: 'static',
    label: 'Web page',
    german: 'Webseite',
    plural: 'Static content',
    noun: 'web page',
    engine: 'files',
    language: null,
    primary: 'primary_html',
    startsFrom: /\.html?$/i,
    detection: { by: 'static', sign: 'a page such as `index.html`, or a pin' },
    requires: 'nothing',
    served: 'as deployed; `404.html` at the top level is the page for missing files',
  },
  nodejs: {
    ...application('Node.js application', 'Node.js applications', 'Node.js-Anwendung', 'api', null),
    detection: {
      by: 'node',
      sign: '`package.json` whose `start` script runs a server, such as `node server.js`',
    },
    requires: 'Node.js and npm in `/usr/bin` or `/usr/local/bin`',
    served: '`npm ci` when deployed, `npm start` on demand',
  },
  program: {
    ...application('Program', 'Programs', 'Programm', 'api', null),
    detection: { by: 'program', sign: '`command` in `pressroom.toml`, or `web:` in a `Procfile`' },
    requires: 'what its command needs',
    served: 'run on demand, on the port in `PORT`',
  },
  'tensorflow-saved-model': {
    app_mode: 'tensorflow-saved-model',
    label: 'TensorFlow model',
    german: 'TensorFlow-Modell',
    plural: 'TensorFlow models',
    noun: 'model',
    engine: 'application',
    language: null,
    primary: null,
    tag: 'run_tensorflow',
    detection: null,
    requires: '`tensorflow_model_server`, set as `TensorFlow.Server`',
  },
} as const satisfies Readonly<Record<string, Row>>;

/** `metadata.appmode` of a manifest. */
export type KindName = keyof typeof KINDS;
/** Current servers distinguish more: the value is the manifest's `appmode`. */
export const APP_MODES_GA = [
  ...APP_MODES,
  ...(Object.keys(KINDS) as KindName[]).filter((name) => !(APP_MODES as readonly string[]).includes(name)),
];
export interface ContentKind extends Row {
  readonly appmode: string;
}

/** The rows, in table order. */
export const kinds: readonly ContentKind[] = Object.entries<Row>(KINDS).map(([appmode, row]) => ({
  appmode,
  ...row,
}));

/** The kind of a manifest's appmode; undefined if this version does not know it. */
export function findKind(appmode: string): ContentKind | undefined {
  return kinds.find((kind) => kind.appmode === appmode);
}

/** Display name of a manifest's appmode; the appmode itself if unknown. */
export function kindLabel(appmode: string, language: LabelLanguage = 'en'): string {
  const kind = findKind(appmode);
  return kind === undefined ? appmode : labelOf(kind, language);
}

const labelOf = ({ label, german }: Row, language: LabelLanguage): string =>
  language === 'de' ? german : label;

/**
 * The kinds of an app_mode: the contract's does not distinguish APIs in R and in Python, the GA form's does for Python.
 */
export function kindsOf(appMode: string): readonly ContentKind[] {
  const sharing = kinds.filter((kind) => kind.app_mode === appMode && !kind.isNearest);
  return sharing.length > 0 ? sharing : kinds.filter((kind) => kind.appmode === appMode);
}

/** Display name of an app_mode: the label of its only kind, or the common noun of its kinds. */
export function appModeLabel(appMode: string, language: LabelLanguage = 'en'): string {
  const [first, ...others] = kindsOf(appMode);
  if (first === undefined) return appMode;
  if (others.length === 0) return labelOf(first, language);
  return language === 'de' ? GERMAN_NOUNS[first.noun] : first.noun;
}

/** How content of an app_mode is served; undefined before the first deploy. */
export function engineOf(appMode: string): Engine | undefined {
  return kindsOf(appMode)[0]?.engine;
}

/** Whether visits or sessions of this kind are counted: not for APIs. */
export function isUseCounted({ engine, sessions = false, countsVisits }: ContentKind): boolean {
  return engine !== 'application' || sessions || countsVisits === true;
}

/** Whether usage of an app_mode is counted; true before the first deploy. */
export function countsUse(appMode: string): boolean {
  return kindsOf(appMode).every(isUseCounted);
}
