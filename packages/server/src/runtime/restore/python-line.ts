// What one line of a requirements file asks for: an allow-list, so that a spelling we do not know counts as the bundle's own.

export type Meaning =
  | { readonly kind: 'nothing' }
  /** A package of the index, by its name. */
  | { readonly kind: 'name' }
  /** How the index is asked, without naming anything. */
  | { readonly kind: 'option' }
  /** Where else to look: an address. */
  | { readonly kind: 'index' }
  | { readonly kind: 'include'; readonly file: string; readonly constraint: boolean }
  | { readonly kind: 'refused'; readonly why: string }
  /** A path, an address of a package, or what only pip understands. */
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
/** pip takes a name that ends like one for the file of that name, where there is such a file. */
const ARCHIVE = /\.(?:zip|whl|tar|tgz|tbz|txz|tlz|tar\.\w+)\s*(?:\[[^\]]*\])?\s*(?:;.*)?$/i;
const OPTION = /^--(?:pre|prefer-binary|require-hashes|(?:no-binary|only-binary)(?:\s+|=)[A-Za-z0-9:._,-]+)$/;
const INDEX =
  /^(?:(?:-i|-f|--index-url|--extra-index-url|--find-links)(?:\s+|=)https?:\/\/[^\s"'\\]+|--trusted-host(?:\s+|=)[\w.:-]+)$/;
const INCLUDE = /^(?:-([rc])\s*|--(requirement|constraint)(?:\s+|=))([^\s"'\\=][^\s"'\\]*)$/;
/** Stays where it is in the bundle, which content cannot rely on. pip takes beginnings of options for the whole. */
const EDITABLE = /^(?:-e|--ed)/;
/** Variables of the process that installs, not of the content: an index with its password is among them. */
const VARIABLE = /\$\{[A-Z0-9_]+\}/;

/** @param joined as pip joins it, without comments: as long as its file. */
export function readLine(joined: string): Meaning {
  // Patterns try each way to share out a run of spaces.
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

/** Whether a line is nothing but the path of a wheel in the bundle. */
export function isWheelPath(line: string): boolean {
  return /^(?!-)[\w./+-]+\.whl$/.test(line) && !line.startsWith('/');
}

/** Whether a line asks another machine for a package itself, or for more requirements. */
export function isAddress(line: string): boolean {
  return /\w:\/\/|\b(?:git|hg|svn|bzr)\+/i.test(line);
}
