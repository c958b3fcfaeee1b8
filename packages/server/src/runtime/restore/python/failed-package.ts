// Finds the package at which pip failed: the last lines are often the compiler's.

const NAME = '([A-Za-z0-9][\\w.-]*)';
/** pip's own message about the failed package. */
const FAILED = new RegExp(`(?:Failed building wheel for|Failed to build|Could not build wheels for) ${NAME}`);
const BEGUN = new RegExp(`^\\s*(?:Collecting|Building wheel for|Running setup.py install for) ${NAME}`);
/** Names the package that was searched for: the one that was read before has nothing to do with it. */
const NOT_FOUND = /ERROR: (?:Could not find a version|No matching distribution)/;
const ERROR = /\berror\b/i;

/** The package at which an installation failed; null if the output does not tell. */
export function failedPackage(lines: readonly string[]): string | null {
  for (const line of lines) {
    const name = FAILED.exec(line)?.[1];
    if (name !== undefined) return name;
  }
  const error = lines.findIndex((line) => ERROR.test(line) && !BEGUN.test(line));
  if (NOT_FOUND.test(lines[error] ?? '')) return null;
  const begun = lines.slice(0, Math.max(error, 0)).findLast((line) => BEGUN.test(line));
  return BEGUN.exec(begun ?? '')?.[1] ?? null;
}

/** Prefixes the cause with the package, unless it names it already. */
export function withPackage(cause: string, name: string | null): string {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[-_.]+/g, '-');
  return name === null || plain(cause).includes(plain(name)) ? cause : `${name}: ${cause}`;
}
