// Parses NAME=value lines, as in .env and .Renviron. Ambiguous lines are rejected: servers never show values, so a
// misread value would go unnoticed.

/** Variables that configure the clients. Content gets its own values from the server that runs it. */
export const CLIENT_VARIABLES: ReadonlySet<string> = new Set([
  'CONNECT_SERVER',
  'CONNECT_API_KEY',
  'CONNECT_CA_CERTIFICATE',
]);

/** A line that cannot be read. The error gives only its number, because the line may contain a secret. */
export class VariablesError extends Error {
  override readonly name = 'VariablesError';
  readonly file: string;
  /** The first is 1. */
  readonly line: number;
  readonly hint = 'Put a value that contains quotes, or # after a space, in quotes.';

  constructor(file: string, line: number) {
    super(`Line ${line} of ${file} is not NAME=value in UTF-8, or its quotes do not match.`);
    this.file = file;
    this.line = line;
  }
}

// No value contains NUL, and U+FFFD results from bytes that are not UTF-8.
const NOTHING = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
const NAME = /[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=/y;
const QUOTED =
  /[ \t]*(?:'([^'\0\uFFFD]*)'|"([^"\\\0\uFFFD]*(?:\\[^\0\uFFFD][^"\\\0\uFFFD]*)*)")(?:[ \t]+#[^\n]*|[ \t]*)(?:\n|$)/y;
const PLAIN = /([^\n\0\uFFFD]*)(?:\n|$)/y;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['"', '"'],
  ['\\', '\\'],
]);

/**
 * The variables in file order; of duplicates the last counts. Within '…' everything is literal, within "…" \n \r \t \"
 * and \\ are escapes; both may span lines. Elsewhere a # after a space starts a comment. Nothing is expanded: ${OTHER}
 * stays as it is.
 * @param file name of the text in errors
 * @throws VariablesError
 */
export function readVariables(source: string, file: string): Map<string, string> {
  const text = source.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
  const values = new Map<string, string>();
  let at = 0;
  while (at < text.length) {
    const nothing = matchAt(NOTHING, text, at);
    if (nothing !== null) {
      at += nothing[0].length;
      continue;
    }
    const name = matchAt(NAME, text, at);
    const value = name && valueAt(text, at + name[0].length);
    if (name?.[1] === undefined || value === null) throw new VariablesError(file, lineOf(text, at));
    values.set(name[1], value.text);
    at = value.end;
  }
  return values;
}

function valueAt(text: string, at: number): { text: string; end: number } | null {
  const quoted = matchAt(QUOTED, text, at);
  if (quoted !== null) {
    const [all, literal, escaped = ''] = quoted;
    return { text: literal ?? withEscapes(escaped), end: at + all.length };
  }
  const [all, rest] = matchAt(PLAIN, text, at) ?? [];
  if (all === undefined || rest === undefined) return null;
  const [plain = ''] = rest.split(/[ \t]#/, 1);
  const trimmed = plain.trim();
  return /^['"`]/.test(trimmed) ? null : { text: trimmed, end: at + all.length };
}

/** Other backslashes are kept, so that most Windows paths work. */
function withEscapes(text: string): string {
  return text.replaceAll(/\\([^])/g, (all, escaped: string) => ESCAPES.get(escaped) ?? all);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}
