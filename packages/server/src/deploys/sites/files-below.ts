// Lists the files of deployed content a few at a time: its processes may write more of them than fit in memory.
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** As deep as renderings go; each level keeps a directory open. */
const MAX_DEPTH = 64;

/**
 * Paths of regular files, in no order. Links are not followed. A directory that disappears or cannot be read is left out.
 * @param most entries to look at, directories included: whoever adds to a tree must not keep it from ending
 * @throws if the directory itself cannot be read
 */
export function filesBelow(directory: string, most: number): AsyncGenerator<string> {
  let seen = 0;
  async function* below(path: string, depth: number): AsyncGenerator<string> {
    const opened = await opendir(path).catch((error: unknown) => {
      if (depth === 0) throw error;
      return [];
    });
    for await (const entry of opened) {
      seen += 1;
      if (seen > most) return;
      const inner = join(path, entry.name);
      if (entry.isFile()) yield inner;
      else if (entry.isDirectory() && depth < MAX_DEPTH) yield* below(inner, depth + 1);
    }
  }
  return below(directory, 0);
}
