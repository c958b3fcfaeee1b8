// What a manifest says: every field with a value, whatever the publishing tool left out (contract, section 4.3).

/** An R package as its publisher had it. */
export interface ManifestPackage {
  /** Where it came from: "CRAN", "Bioconductor", "github" …; null when not given. */
  Source: string | null;
  Repository: string | null;
  /** Of the fields of its DESCRIPTION file, those that servers read. */
  description: { Version?: unknown };
}

/** The Python a bundle was made with. */
export interface ManifestPython {
  version: string;
  package_manager: { name: string | null; version: string | null; package_file: string | null };
}

/** What of a notebook's code its page leaves out. */
export interface ManifestJupyter {
  hide_all_input: boolean;
  /** Of cells with the tag `hide_input`. */
  hide_tagged_input: boolean;
}

/** `environment.python.requires` and `environment.r.requires`; null when not given. */
export interface ManifestRequires {
  python: string | null;
  r: string | null;
}

/** What executes the code of a Quarto document: `knitr` needs R, `jupyter` Python, `markdown` neither. */
export interface ManifestQuarto {
  engines: readonly string[];
}

/** A rendering that is in the bundle beside its source. */
export interface ManifestRendered {
  /** At the top of the bundle. */
  page: string;
  /** Paths of what it needs. */
  files: readonly string[];
}

export interface Manifest {
  version: 1;
  /** As written; `findKind` knows it, or does not. */
  appmode: string;
  /** Top-level file names, without "./"; null when not given. */
  primary_rmd: string | null;
  primary_html: string | null;
  /** "module:object" for Python APIs, a file for notebooks; null when not given. */
  entrypoint: string | null;
  /** Empty when not given. */
  content_category: string;
  has_parameters: boolean;
  /** R version the bundle was made with; null when R is not used. */
  platform: string | null;
  locale: string | null;
  packages: Record<string, ManifestPackage> | null;
  python: ManifestPython | null;
  /** Path → checksum record. May list files that the archive lacks. */
  files: Record<string, unknown> | null;
  /** Absent in manifests that were stored before it was read. */
  jupyter?: ManifestJupyter;
  /** Which versions of the interpreters the project runs on, such as ">=3.10"; absent where it does not say. */
  requires?: ManifestRequires;
  /** Absent where it does not say. */
  quarto?: ManifestQuarto;
  /** Absent where there is none. */
  rendered?: ManifestRendered;
}
