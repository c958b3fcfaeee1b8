// Shows what a directory would be published as, and why, before anything is sent.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { collectFiles, type CollectedFiles, type CollectOptions } from '../collect/collect-files.ts';
import { readRecords, type StoredRecord } from '../records/record.ts';
import type { ContentCandidate } from './content-candidate.ts';
import { detectContent } from './detect-content.ts';
import { isFileOfKind } from './detect-file.ts';

export interface Inspection {
  dir: string;
  /** Most likely first. */
  candidates: ContentCandidate[];
  collected: CollectedFiles;
  /** Newest first. */
  records: StoredRecord[];
}

/** Read-only; nothing is executed or sent. Throws BundleError, RecordError or the signal's reason. */
export async function inspectDirectory(dir: string, options: CollectOptions = {}): Promise<Inspection> {
  const records = await readRecords(dir);
  const collected = await collectFiles(dir, options);
  const { signal } = options;
  const candidates = await detectContent(dir, collected.files, { ...(signal !== undefined && { signal }) });
  return { dir, candidates, collected, records };
}

const SUBDIRECTORIES = 100;

/**
 * Directories of a workspace folder that have content: the folder itself, and its subdirectories that were published
 * before or, if the folder itself is not publishable, could be.
 */
export async function findContentDirectories(
  root: string,
  isContent: (dir: string) => Promise<boolean>,
): Promise<string[]> {
  const own = (await hasRecords(root)) || (await isContent(root));
  const found = own ? [root] : [];
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  const below = entries.filter((entry) => entry.isDirectory() && !/^(\.|node_modules$)/.test(entry.name));
  for (const { name } of below.slice(0, SUBDIRECTORIES)) {
    const dir = path.join(root, name);
    if ((await hasRecords(dir)) || (!own && (await isContent(dir)))) found.push(dir);
  }
  return found;
}

async function hasRecords(dir: string): Promise<boolean> {
  const names = await readdir(path.join(dir, '.pressroom', 'deployments')).catch(() => []);
  return names.some((name) => name.endsWith('.toml'));
}

/** Whether the top level of a directory looks like content: cheap enough for many directories. */
export async function looksLikeContent(dir: string): Promise<boolean> {
  const names = await readdir(dir).catch(() => []);
  if (
    names.some((name) =>
      /^(manifest\.json|app\.R|server\.R|plumber\.R|index\.html|pressroom\.toml|Procfile|package\.json)$/i.test(
        name,
      ),
    )
  )
    return true;
  if (!names.some((name) => /\.(rmd|qmd|py|html?)$/i.test(name) || isFileOfKind(name))) return false;
  const top = { exclude: ['/*/'] };
  const { files } = await collectFiles(dir, top).catch(() => ({ files: [] }));
  return (await detectContent(dir, files).catch(() => [])).length > 0;
}
