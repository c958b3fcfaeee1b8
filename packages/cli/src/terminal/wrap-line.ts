// Wraps lines of help on narrow terminals, below their second column.

/** @param width characters of the terminal */
export function wrapLine(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const leading = /^ */.exec(line)?.[0].length ?? 0;
  const column = /^ *\S.*? {2,}/.exec(line)?.[0].length ?? leading;
  const indent = column <= width / 2 ? column : leading + 4;
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const at = rest.lastIndexOf(' ', width);
    // A word that is longer than the line is left to the terminal.
    if (at <= (lines.length === 0 ? column : indent)) break;
    lines.push(rest.slice(0, at).trimEnd());
    rest = ' '.repeat(indent) + rest.slice(at).trimStart();
  }
  return [...lines, rest];
}
