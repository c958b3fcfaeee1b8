// Ignore files and the publisher's include and exclude patterns, all with gitignore semantics.
import ignore, { type Ignore } from 'ignore';

// The package ignores case by default; git on a case-sensitive disk does not, nor does the server's disk.
const CASE = { ignorecase: false } as const;

/** Rules in effect in a directory: the ignore files from the root down to it, in order. */
export interface IgnoreRules {
  readonly lines: readonly string[];
  readonly matcher: Ignore;
}

/** Patterns that override exclusions. */
export interface IncludeRules {
  /** The path, or a parent directory, matches a pattern. */
  covers(relative: string, directory: boolean): boolean;
  /** A pattern means exactly this path: not just a parent, or `*`. */
  names(relative: string, directory: boolean): boolean;
  /** A pattern could match something below this directory. */
  reachesBelow(directory: string): boolean;
}

/** No rules at all. */
export function noRules(): IgnoreRules {
  return { lines: [], matcher: ignore(CASE) };
}

/**
 * Adds an ignore file, found in `directory` ('' for the root), to the rules of its parents. Patterns are anchored to
 * their directory, so that one matcher decides in git's order: the deepest file last.
 */
export function addIgnoreFile(parent: IgnoreRules, directory: string, text: string): IgnoreRules {
  const own = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => anchor(line, directory))
    .filter((line) => line !== undefined);
  const lines = [...parent.lines, ...own];
  return { lines, matcher: ignore(CASE).add(lines) };
}

/** Whether the rules exclude this path. */
export function ignores(rules: IgnoreRules, relative: string, directory: boolean): boolean {
  if (rules.lines.length === 0) return false;
  return rules.matcher.ignores(directory ? `${relative}/` : relative);
}

/** A matcher for a list of patterns, relative to the root. */
export function patternRules(patterns: readonly string[]): IgnoreRules {
  return addIgnoreFile(noRules(), '', patterns.join('\n'));
}

/** For the include option; see `IncludeRules`. */
export function includeRules(patterns: readonly string[]): IncludeRules {
  const parts = patterns
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '' && !pattern.startsWith('#'))
    .map((pattern) => {
      const segments = pattern.replace(/^\//, '').replace(/\/$/, '').split('/');
      const anchored = pattern.startsWith('/') || segments.length > 1;
      return {
        matcher: ignore(CASE).add(pattern),
        anchored,
        segments,
        wild: /^\*+$/.test(segments.at(-1) ?? ''),
      };
    });
  function matches(matcher: Ignore, relative: string, directory: boolean): boolean {
    return matcher.ignores(directory ? `${relative}/` : relative);
  }
  return {
    covers: (relative, directory) => parts.some(({ matcher }) => matches(matcher, relative, directory)),
    names: (relative, directory) =>
      parts.some(({ matcher, wild }) => {
        if (wild || !matches(matcher, relative, directory)) return false;
        const slash = relative.lastIndexOf('/');
        return slash === -1 || !matches(matcher, relative.slice(0, slash), true);
      }),
    reachesBelow: (directory) =>
      parts.some(({ anchored, segments }) => anchored && couldReach(segments, directory.split('/'))),
  };
}

/** Compares the literal prefix of a pattern with a directory; a pattern starting with `**` has none. */
function couldReach(pattern: readonly string[], directory: readonly string[]): boolean {
  if (pattern[0] === '**') return false;
  for (const [index, part] of directory.entries()) {
    const wanted = pattern[index];
    if (wanted === undefined) return false;
    if (wanted === '**') return true;
    if (!/[*?[]/.test(wanted) && wanted !== part) return false;
  }
  return pattern.length > directory.length;
}

function anchor(line: string, directory: string): string | undefined {
  if (line.trim() === '' || line.startsWith('#')) return undefined;
  if (directory === '') return line;
  const negated = line.startsWith('!');
  let body = negated ? line.slice(1) : line;
  // An escape needed only at the start of a line has no meaning after the prefix.
  if (body.startsWith('\\#') || body.startsWith('\\!')) body = body.slice(1);
  const slash = body.indexOf('/');
  const anchored = slash !== -1 && slash < body.trimEnd().length - 1;
  const prefix = `/${directory.replace(/[\\*?[\]!# ]/g, '\\$&')}/`;
  return `${negated ? '!' : ''}${prefix}${anchored ? body.replace(/^\//, '') : `**/${body}`}`;
}
