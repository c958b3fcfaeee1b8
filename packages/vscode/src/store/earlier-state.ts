// State of this workspace's directories in other workspaces. To the editor, a window with a second folder, or whose
// workspace file was saved elsewhere, is another workspace without state, but its deploys run and its targets were chosen.
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseState, type State } from './memory.ts';

/**
 * Without uploads, which may be running in another window.
 * @param file with this workspace's state; those of other workspaces are in their storage directories next to this one's
 * @param isHere whether a directory is in this workspace
 */
export function earlierState(file: string, isHere: (dir: string) => boolean): State {
  const storage = path.dirname(path.dirname(file));
  const all = path.dirname(storage);
  const files = readdirSync(all).map((name) => path.join(all, name, path.relative(storage, file)));
  const found = parseState('{}');
  const known = new Set<string>();
  for (const { state } of files.flatMap(read).toSorted((a, b) => b.time - a.time)) {
    const { choices, targets, unfinished } = state;
    const deploying = unfinished.map(({ dir }) => dir);
    const dirs = new Set([...Object.keys(choices), ...Object.keys(targets), ...deploying]);
    // The most recently written state takes precedence.
    for (const dir of [...dirs].filter((one) => isHere(one) && !known.has(one))) {
      known.add(dir);
      found.choices[dir] = choices[dir];
      found.targets[dir] = targets[dir];
      found.unfinished.push(...unfinished.filter((deploy) => deploy.dir === dir));
    }
  }
  return found;
}

function read(file: string): { readonly state: State; readonly time: number }[] {
  try {
    return [{ state: parseState(readFileSync(file, 'utf8')), time: lstatSync(file).mtimeMs }];
  } catch {
    // Nothing was published from that workspace.
    return [];
  }
}
