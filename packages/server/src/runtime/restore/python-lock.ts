// Lock files as what is restored: pylock.toml (PEP 751) and uv.lock, as lines that pip and uv read alike.
import { parse } from 'smol-toml';

type Table = Readonly<Record<string, unknown>>;

/** Dependencies that are followed; a lock that is hostile could have each of its packages need all others. */
const MOST_STEPS = 200_000;

/** Whether a file is a lock by its name. */
export function isLock(file: string): boolean {
  return /(?:^|\/)(?:pylock(?:\.[^./]+)?\.toml|uv\.lock)$/.test(file);
}

/** One line for each package of an index. @throws Error that completes "pylock.toml …" */
export function linesOfLock(file: string, text: string): string[] {
  let lock: Table;
  try {
    lock = parse(text);
  } catch (cause) {
    throw new Error('is not valid TOML', { cause });
  }
  const lines = file.endsWith('uv.lock') ? linesOfUv(lock) : linesOfPylock(lock);
  // A second line, or an option, in the place of a name would be read as one.
  const odd = lines.find((line) => !/^[A-Za-z0-9][\x20-\x7e]*$/.test(line) || line.includes('\\'));
  if (odd !== undefined) throw new Error(`has ${JSON.stringify(odd.slice(0, 80))}, which is no requirement`);
  return lines;
}

function linesOfPylock(lock: Table): string[] {
  const packages = tables(lock.packages).filter(({ marker }) => !isOfGroup(marker));
  const hashes = packages.map((item) => [...tables(item.wheels), ...tables([item.sdist])].flatMap(sha256));
  const isHashed = hashes.every((list) => list.length > 0);
  return packages.map((item, i) => {
    const { name, version, marker } = item;
    if (typeof name !== 'string' || typeof version !== 'string' || item.directory || item.vcs || item.archive)
      throw new Error(`has ${word(name)} from somewhere else than an index`);
    const condition = typeof marker === 'string' ? ` ; ${marker}` : '';
    return `${name}==${version}${condition}${isHashed ? (hashes[i] ?? []).map((sum) => ` --hash=sha256:${sum}`).join('') : ''}`;
  });
}

/** Packages that only extras or groups want are not for the server. */
const isOfGroup = (marker: unknown) =>
  typeof marker === 'string' && /\b(?:extras|dependency_groups)\b/.test(marker);

function sha256({ hashes }: Table): string[] {
  const sum = isTable(hashes) ? hashes.sha256 : undefined;
  return typeof sum === 'string' && /^[0-9a-f]{64}$/.test(sum) ? [sum] : [];
}

/** What the project needs, and what that needs, without extras and groups of its own. */
function linesOfUv(lock: Table): string[] {
  const packages = tables(lock.package);
  const root = packages.find(
    ({ source }) => isTable(source) && (source.virtual === '.' || source.editable === '.'),
  );
  if (root === undefined) throw new Error('names no project');
  const byName = Map.groupBy(packages, ({ name }) => name);
  const lines = new Map<Table, Set<string>>();
  let steps = 0;
  const open: { item: Table; edges: readonly Table[]; condition: string }[] = [
    { item: root, edges: tables(root.dependencies), condition: '' },
  ];
  const seen = new Set<string>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const edge of next.edges) {
      for (const item of byName.get(edge.name) ?? []) {
        steps += 1;
        if (steps > MOST_STEPS) throw new Error('has too many dependencies');
        if (edge.version !== undefined && item.version !== edge.version) continue;
        if (!isTable(item.source) || typeof item.source.registry !== 'string')
          throw new Error(`has ${word(item.name)} from somewhere else than an index`);
        // What is needed on some machines only is so for what it needs in turn: its own condition is enough.
        const condition = typeof edge.marker === 'string' ? edge.marker : next.condition;
        const conditions = lines.get(item) ?? new Set();
        lines.set(item, conditions.add(condition));
        const extras = Array.isArray(edge.extra) ? edge.extra.map(String) : [];
        const optional = isTable(item['optional-dependencies']) ? item['optional-dependencies'] : {};
        const edges = [...tables(item.dependencies), ...extras.flatMap((extra) => tables(optional[extra]))];
        const key = JSON.stringify([item.name, item.version, condition, extras]);
        if (!seen.has(key)) open.push({ item, edges, condition });
        seen.add(key);
      }
    }
  }
  return [...lines]
    .map(([{ name, version }, conditions]) => {
      const alternatives = [...conditions].map((condition) =>
        conditions.size > 1 ? `(${condition})` : condition,
      );
      return `${word(name)}==${word(version)}${conditions.has('') ? '' : ` ; ${alternatives.join(' or ')}`}`;
    })
    .toSorted();
}

const word = (value: unknown) => (typeof value === 'string' ? value.slice(0, 80) : 'a package');

function tables(value: unknown): Table[] {
  return Array.isArray(value) ? value.filter(isTable) : [];
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
