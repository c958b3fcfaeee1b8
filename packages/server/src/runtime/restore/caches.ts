// Restored packages by language version: list, and remove unused ones.
import { basename, join } from 'node:path';
import { below, evictUnused, type EvictOptions } from './evict.ts';

export interface RuntimeCache {
  readonly language: 'Python' | 'R';
  /** Version of the interpreter, such as "4.2.2". */
  readonly version: string;
}

/** Non-empty caches. @param directory of all restored packages */
export async function listCaches(directory: string): Promise<RuntimeCache[]> {
  const found: RuntimeCache[] = [];
  for (const language of ['Python', 'R'] as const) {
    for (const path of await below(join(directory, language), 1)) {
      // For R there is a directory per platform in between.
      const parts = await below(path, 1);
      const libraries = parts.map((part) => below(join(part, 'libraries'), 1));
      const inside = language === 'Python' ? parts : (await Promise.all(libraries)).flat();
      if (inside.length > 0) found.push({ language, version: basename(path) });
    }
  }
  return found;
}

/** Removes everything that no active deploy, process or open task uses, however new. Returns what was removed. */
export function clearCache(
  options: Omit<EvictOptions, 'retention' | 'within'>,
  { language, version }: RuntimeCache,
): Promise<string[]> {
  return evictUnused({ ...options, retention: 0.000_001, within: join(language, version) });
}
