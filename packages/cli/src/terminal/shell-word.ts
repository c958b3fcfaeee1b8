// Words of commands that people copy into a shell.

/** In single quotes where a shell would divide it or read more than its letters. */
export function shellWord(text: string): string {
  return /^[\p{L}\p{N}_@%+:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
