// Converts uv.lock to lines for pip and uv.
import { isObject } from '../../contract/is-object.ts';

type Table = Readonly<Record<string, unknown>>;

/** Maximum dependencies followed; in a malicious lock, every package could need all others. */
const MAX_STEPS = 200_000;

/**
 * The project's dependencies, including indirect ones but not its extras and groups: one line per package, with the
 * conditions under which it is needed.
 * @param elsewhere what to do with packages that are in no index, such as a directory next to the project
 * @throws Error that completes "uv.lock …"
 */
export function linesOfUvLock(lock: Table, elsewhere: 'refuse' | 'leave out'): string[] {
  const packages = tables(lock.package);
  const root = packages.find(
    ({ source }) => isObject(source) && (source.virtual === '.' || source.editable === '.'),
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
        if (steps > MAX_STEPS) throw new Error('has too many dependencies');
        if (edge.version !== undefined && item.version !== edge.version) continue;
        const isOfIndex = isObject(item.source) && typeof item.source.registry === 'string';
        if (!isOfIndex && elsewhere === 'refuse')
          throw new Error(`has ${word(item.name)} from somewhere else than an index`);
        // Dependencies of a conditional package need no more than its own condition.
        const condition = typeof edge.marker === 'string' ? edge.marker : next.condition;
        if (isOfIndex) lines.set(item, (lines.get(item) ?? new Set()).add(condition));
        const extras = Array.isArray(edge.extra) ? edge.extra.map(String) : [];
        const optional = isObject(item['optional-dependencies']) ? item['optional-dependencies'] : {};
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
  return Array.isArray(value) ? value.filter(isObject) : [];
}
