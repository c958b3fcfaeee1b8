// What detection answers, and what detectors look at.

/** A possible kind of content. */
export interface ContentCandidate {
  /** `metadata.appmode` of the manifest. */
  appmode: string;
  /** `site`, `plot`, `pin`, or '' for none. */
  contentCategory: string;
  /** The file the content starts from, at the top of the directory; of Python also in a package. */
  primary: string;
  /** What the manifest calls entry point: a file, or `module:object` for Python APIs. */
  entrypoint: string;
  /** A rendered R Markdown document that takes parameters. */
  hasParameters: boolean;
  /** 0 to 1; only good for comparing. */
  confidence: number;
  /** A sentence for people. */
  why: string;
  /** The same by its code, for who says it in another language. */
  reason: Reason;
}

/** Why a directory is taken for a kind of content; `args` are names of files, and what they hold. */
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

/** What detectors look at: the files at the top of the directory, with the beginning of those worth reading, and of those in packages of Python. */
export interface ContentView {
  /** Names of the files at the top. */
  names: ReadonlySet<string>;
  /** Every path of the bundle. */
  paths: ReadonlySet<string>;
  /** The first 512 KiB as text; '' when the file was not read. */
  text: (name: string) => string;
}
