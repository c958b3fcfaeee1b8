// A parsed manifest: every field has a value, whatever the publishing tool left out (contract, section 4.3).

/** An R package as installed by its publisher. */
export interface ManifestPackage {
  /** Its source: "CRAN", "Bioconductor", "github" …; null if not given. */
  Source: string | null;
  Repository: string | null;
  /** The fields of its DESCRIPTION that servers read. */
  description: { Version?: unknown };
}

/** The Python used by the publisher. */
export interface ManifestPython {
  version: string;
  package_manager: { name: string | null; version: string | null; package_file: string | null };
}

/** Which code of a notebook is hidden. */
export interface ManifestJupyter {
  hide_all_input: boolean;
  /** In cells tagged `hide_input`. */
  hide_tagged_input: boolean;
}

/** `environment.python.requires` and `environment.r.requires`; null if not given. */
export interface ManifestRequires {
  python: string | null;
  r: string | null;
}

/** Languages whose packages are not installed, because the server has them. */
export interface ManifestUnmanaged {
  python: boolean;
  r: boolean;
}

/** Engine of a Quarto document: `knitr` needs R, `jupyter` Python, `markdown` neither. */
export interface ManifestQuarto {
  engines: readonly string[];
}

/** A rendering included in the bundle. */
export interface ManifestRendered {
  /** At the top level of the bundle. */
  page: string;
  /** Paths of the files it needs. */
  files: readonly string[];
}

export interface Manifest {
  version: 1;
  /** As written; may be unknown to `findKind`. */
  appmode: string;
  /** Top-level file names, without "./"; null if not given. */
  primary_rmd: string | null;
  primary_html: string | null;
  /** "module:object" for Python APIs, a file for notebooks; null if not given. */
  entrypoint: string | null;
  /** Empty if not given. */
  content_category: string;
  has_parameters: boolean;
  /** R version used by the publisher; null without R. */
  platform: string | null;
  locale: string | null;
  packages: Record<string, ManifestPackage> | null;
  python: ManifestPython | null;
  /** Checksum records by path. May list files that are not in the archive. */
  files: Record<string, unknown> | null;
  /** Absent in manifests stored before this field existed. */
  jupyter?: ManifestJupyter;
  /** Accepted versions of the interpreters, such as ">=3.10"; absent if not given. */
  requires?: ManifestRequires;
  /** Absent if there is none. */
  unmanaged?: ManifestUnmanaged;
  /** Absent if not given. */
  quarto?: ManifestQuarto;
  /** Absent if there is none. */
  rendered?: ManifestRendered;
}
