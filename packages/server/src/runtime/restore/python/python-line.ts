// The meaning of one line of a requirements file: an allow-list, so that unknown syntax counts as the bundle's own.

export type Meaning =
  | { readonly kind: 'nothing' }
  /** A package of the index by name. */
  | { readonly kind: 'name' }
  /** An index option that names nothing. */
  | { readonly kind: 'option' }
  /** An additional index address. */
  | { readonly kind: 'index' }
  | { readonly kind: 'include'; readonly file: string; readonly constraint: boolean }
  | { readonly kind: 'refused'; readonly why: string }
  /** A path, a package address, or anything only pip understands. */
  | { readonly kind: 'other' };

const NAME = String.raw`[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?`;
const EXTRAS = String.raw`(?:\s*\[[A-Za-z0-9._\s,-]*\])?`;
const SPECIFIER = String.raw`(?:~=|===?|!=|<=?|>=?)\s*[A-Za-z0-9._*+!-]+`;
const SPECIFIERS = String.raw`(?:${SPECIFIER}(?:\s*,\s*${SPECIFIER})*)`;
const MARKER = String.raw`(?:\s*;[\w\s.'"<>=!~()+-]+?)?`;
const HASHES = String.raw`(?:\s+--hash[=\s]\w+:[0-9a-f]+)*`;
const PACKAGE = new RegExp(
  String.raw`^${NAME}${EXTRAS}\s*(?:${SPECIFIERS}|\(\s*${SPECIFIERS}\s*\))?${MARKER}${HASHES}$`,
  'i',
);
/** pip prefers a file of that name if the name ends like an archive. */
const ARCHIVE = /\.(?:zip|whl|tar|tgz|tbz|txz|tlz|tar\.\w+)\s*(?:\[[^\]]*\])?\s*(?:;.*)?$/i;
const OPTION = /^--(?:pre|prefer-binary|require-hashes|(?:no-binary|only-binary)(?:\s+|=)[A-Za-z0-9:._,-]+)$/;
const INDEX =
  /^(?:(?:-i|-f|--index-url|--extra-index-url|--find-links)(?:\s+|=)https?:\/\/[^\s"'\\]+|--trusted-host(?:\s+|=)[\w.:-]+)$/;
const INCLUDE = /^(?:-([rc])\s*|--(requirement|constraint)(?:\s+|=))([^\s"'\\=][^\s"'\\]*)$/;
/** An editable install stays in the bundle, which content cannot rely on. pip accepts abbreviated options. */
const EDITABLE = /^(?:-e|--ed)/;
/** Variables of the installing process, not of the content: they include an index with its password. */
const VARIABLE = /\$\{[A-Z0-9_]+\}/;

/** @param joined without comments, continuation lines joined like pip does: up to the size of the file. */
export function readLine(joined: string): Meaning {
  // Regular expressions would backtrack on long runs of spaces.
  const line = joined.replaceAll(/\s+/g, ' ');
  if (line === '') return { kind: 'nothing' };
  if (EDITABLE.test(line)) return { kind: 'refused', why: 'has an editable package: leave out -e' };
  if (VARIABLE.test(line))
    return {
      kind: 'refused',
      why: 'has a variable, and none are put in: set a repository with a password for the content instead',
    };
  const [, short, long, file = ''] = INCLUDE.exec(line) ?? [];
  if ((short ?? long) !== undefined && !/^\w+:/.test(file))
    return { kind: 'include', file, constraint: short === 'c' || long === 'constraint' };
  if (OPTION.test(line)) return { kind: 'option' };
  if (INDEX.test(line)) return { kind: 'index' };
  if (PACKAGE.test(line) && !ARCHIVE.test(line.replace(/\s--hash.*$/, ''))) return { kind: 'name' };
  return { kind: 'other' };
}

/** Whether a line is only the path of a wheel in the bundle. */
export function isWheelPath(line: string): boolean {
  return /^(?!-)[\w./+-]+\.whl$/.test(line) && !line.startsWith('/');
}

/** Whether a line requests a package or requirements from another machine. */
export function isAddress(line: string): boolean {
  return /\w:\/\/|\b(?:git|hg|svn|bzr)\+/i.test(line);
}
