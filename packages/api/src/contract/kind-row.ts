// What a row of the table of kinds says.

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

/** Of processes, and of renderings. */
export const JOB_TAGS = ['run_app', 'run_api', 'run_tensorflow', 'build_report', 'build_jupyter'] as const;

/** `files` are served as they are, a `document` is rendered, an `application` runs and serves HTTP. */
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

export interface KindRow {
  /** `app_mode` of the contract's responses; several kinds can share one. */
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
  /** Tag of its processes or renderings in the list of jobs; absent for files. */
  readonly tag?: (typeof JOB_TAGS)[number];
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

export const GERMAN_NOUNS = {
  'web page': 'Webseite',
  document: 'Dokument',
  application: 'Anwendung',
  API: 'API',
  model: 'Modell',
} as const;
