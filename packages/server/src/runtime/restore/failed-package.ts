// Which package pip was at when it failed: its last words are often those of a compiler.

const NAME = '([A-Za-z0-9][\\w.-]*)';
/** What pip itself says of the one that failed. */
const FAILED = new RegExp(`(?:Failed building wheel for|Failed to build|Could not build wheels for) ${NAME}`);
const BEGUN = new RegExp(`^\\s*(?:Collecting|Building wheel for|Running setup.py install for) ${NAME}`);
const ERROR = /\berror\b/i;

/** The package that an installation failed at; null where the output does not tell. */
export function failedPackage(lines: readonly string[]): string | null {
  for (const line of lines) {
    const name = FAILED.exec(line)?.[1];
    if (name !== undefined) return name;
  }
  const error = lines.findIndex((line) => ERROR.test(line) && !BEGUN.test(line));
  const begun = lines.slice(0, Math.max(error, 0)).findLast((line) => BEGUN.test(line));
  return BEGUN.exec(begun ?? '')?.[1] ?? null;
}

/** The cause with the package before it, unless it names that itself. */
export function withPackage(cause: string, name: string | null): string {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[-_.]+/g, '-');
  return name === null || plain(cause).includes(plain(name)) ? cause : `${name}: ${cause}`;
}
