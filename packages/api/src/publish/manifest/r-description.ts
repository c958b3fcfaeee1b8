// Reads DESCRIPTION files (Debian control format), as R packages and projects have them.

/** Fields by name; continuation lines are joined with a space. */
export function parseDescription(text: string): Record<string, string> {
  const fields: Record<string, string> = {};
  let current: string | undefined;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const field = /^([A-Za-z][\w@/.-]*)\s*:\s*(.*)$/.exec(line);
    if (field !== null) {
      current = field[1] as string;
      fields[current] = (field[2] as string).trim();
    } else if (current !== undefined && /^\s+\S/.test(line)) {
      fields[current] = `${fields[current]} ${line.trim()}`.trim();
    }
  }
  return fields;
}

/** Names in a dependency field such as `R (>= 4.1), shiny, dplyr (>= 1.0)`, without R itself. */
export function dependencyNames(field: string | undefined): string[] {
  return (field ?? '')
    .split(',')
    .map((item) => item.replace(/\(.*/s, '').trim())
    .filter((name) => /^[A-Za-z][A-Za-z0-9.]*$/.test(name) && name !== 'R');
}

/** Packages that come with R itself and are never listed in a manifest. */
export const BASE_PACKAGES: ReadonlySet<string> = new Set([
  'base',
  'compiler',
  'datasets',
  'graphics',
  'grDevices',
  'grid',
  'methods',
  'parallel',
  'splines',
  'stats',
  'stats4',
  'tcltk',
  'tools',
  'utils',
]);
