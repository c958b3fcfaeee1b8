// Converts lock files to requirement lines for pip and uv: pylock.toml (PEP 751) and uv.lock.
import { linesOfUvLock } from '@pressroom/api/publish';
import { parse } from 'smol-toml';
import { isObject } from '../../../platform/is-object.ts';

type Table = Readonly<Record<string, unknown>>;

/** Whether a file name is a lock file's. */
export function isLock(file: string): boolean {
  return /(?:^|\/)(?:pylock(?:\.[^./]+)?\.toml|uv\.lock)$/.test(file);
}

/** One line per package. @throws Error that completes "pylock.toml …" */
export function linesOfLock(file: string, text: string): string[] {
  let lock: Table;
  try {
    lock = parse(text);
  } catch (cause) {
    throw new Error('is not valid TOML', { cause });
  }
  const lines = file.endsWith('uv.lock') ? linesOfUvLock(lock, 'refuse') : linesOfPylock(lock);
  // A name must not smuggle in another line, or an option.
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

/** Packages of extras or groups are not for the server. */
const isOfGroup = (marker: unknown) =>
  typeof marker === 'string' && /\b(?:extras|dependency_groups)\b/.test(marker);

function sha256({ hashes }: Table): string[] {
  const sum = isObject(hashes) ? hashes.sha256 : undefined;
  return typeof sum === 'string' && /^[0-9a-f]{64}$/.test(sum) ? [sum] : [];
}

const word = (value: unknown) => (typeof value === 'string' ? value.slice(0, 80) : 'a package');

function tables(value: unknown): Table[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
