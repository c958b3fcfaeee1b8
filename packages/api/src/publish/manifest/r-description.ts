// Reads DESCRIPTION files (Debian control format), as R packages and projects have them.

/** Fields by name; continuation lines are joined with a space. */
export function parseDescription(text: string): Record<string, string> {
  const fields = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const [, name, value] = /^([A-Za-z][\w@/.-]*)\s*:(.*)$/s.exec(line) ?? [];
    if (name !== undefined) fields.set(name, (current = []));
    else if (!/^\s+\S/.test(line)) continue;
    current.push((value ?? line).trim());
  }
  return Object.fromEntries(
    [...fields].map(([name, lines]) => [name, lines.filter((line) => line !== '').join(' ')]),
  );
}

/** Names in a dependency field such as `R (>= 4.1), shiny, dplyr (>= 1.0)`, without R itself. */
export function dependencyNames(field: string | undefined): string[] {
  return (field ?? '')
    .split(',')
    .map((item) => item.replace(/\(.*/s, '').trim())
    .filter((name) => /^[A-Za-z][A-Za-z0-9.]*$/.test(name) && name !== 'R');
}

/** Packages of R itself, which are never listed in a manifest. */
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
