// manifest.json of a bundle, version 1, as publishing tools write it.

export interface FileMetadata {
  appmode: string;
  primary_rmd?: string | null;
  primary_html?: string | null;
  /** `site`, `plot`, `pin`, or null. */
  content_category?: string | null;
  /** A file, or `module:object` for Python APIs. */
  entrypoint?: string | null;
  has_parameters?: boolean | null;
  [key: string]: unknown;
}

/** One R package: where it came from, and its DESCRIPTION fields. */
export interface FilePackage {
  Source: string;
  Repository?: string | null;
  description: Record<string, string>;
  [key: string]: unknown;
}

export interface FilePython {
  version: string;
  package_manager: { name: string; version?: string; package_file: string; [key: string]: unknown };
  [key: string]: unknown;
}

export interface ManifestFile {
  version: 1;
  locale?: string;
  /** R version, such as 4.2.2. */
  platform?: string | null;
  metadata: FileMetadata;
  packages?: Record<string, FilePackage> | null;
  python?: FilePython | null;
  /** Engines of a Quarto document: `knitr`, `jupyter` or `markdown`. */
  quarto?: { version?: string | null; engines?: string[] | null } | null;
  /** Accepted versions of the interpreters, such as ">=3.10,<3.13". */
  environment?: {
    python?: { requires?: string | null } | null;
    r?: { requires?: string | null } | null;
  } | null;
  /** The publisher's own rendering of the document: shown until the server has rendered it. */
  rendered?: { page: string; files?: string[] | null } | null;
  /** MD5 (hex) of all files by path. */
  files?: Record<string, { checksum: string }> | null;
  [key: string]: unknown;
}
