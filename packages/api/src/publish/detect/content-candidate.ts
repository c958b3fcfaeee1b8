// Results of detection, and input of detectors.

/** A possible kind of content. */
export interface ContentCandidate {
  /** `metadata.appmode` of the manifest. */
  appmode: string;
  /** `site`, `plot`, `pin`, or '' for none. */
  contentCategory: string;
  /** The main file, at the top of the directory; for Python also in a package. */
  primary: string;
  /** The manifest's entry point: a file, or `module:object` for Python APIs. */
  entrypoint: string;
  /** Whether it is a rendered R Markdown document with parameters. */
  hasParameters: boolean;
  /** 0 to 1; for comparison only. */
  confidence: number;
  /** A sentence for people. */
  why: string;
  /** The reason as a code, for translations. */
  reason: Reason;
}

/** Why a directory is of a kind; `args` are names of files, and their contents. */
export interface Reason {
  code:
    | 'chosen'
    | 'manifest'
    | 'page'
    | 'pin'
    | 'file'
    | 'start-script'
    | 'command'
    | 'makes'
    | 'imports'
    | 'django'
    | 'shiny'
    | 'shiny-unsure'
    | 'shiny-two-files'
    | 'plumber-annotations'
    | 'plumber-router'
    | 'interactive-document'
    | 'site'
    | 'document'
    | 'document-with-parameters';
  args: readonly string[];
}

/** Input of detectors: the top-level files, with the beginning of those worth reading, and Python packages. */
export interface ContentView {
  /** Names of the top-level files. */
  names: ReadonlySet<string>;
  /** All paths of the bundle. */
  paths: ReadonlySet<string>;
  /** The first 512 KiB as text; '' if the file was not read. */
  text: (name: string) => string;
}
