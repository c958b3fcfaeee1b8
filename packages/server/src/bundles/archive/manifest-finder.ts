// Finds manifest.json among the entries of a bundle.
import { mainFileProblem, quoteName, type Manifest } from '@pressroom/api/contract';
import type { ArchiveEntry } from './entry-rules.ts';
import type { ArchiveLimits } from './limits.ts';
import { readManifest } from './read-manifest.ts';
import { badManifest } from './refusals.ts';
import type { EntrySink } from './tar-reader.ts';

/** A sink that keeps manifest.json only. */
export interface ManifestFinder extends EntrySink {
  /** The manifest, after the last entry. @throws ApiError 38 */
  manifest(): Promise<Manifest>;
}

const MANIFEST = 'manifest.json';

/** A finder for one bundle. */
export function createManifestFinder(limits: ArchiveLimits): ManifestFinder {
  const topLevel = new Set<string>();
  let wanted = false;
  let pieces: Buffer[] = [];
  let found: Buffer | null = null;
  let tooLarge = false;
  let nested: string | null = null;

  function begin(entry: ArchiveEntry): void {
    wanted = false;
    if (entry.type !== 'file') return;
    // The page of a Shiny application without ui.R is one directory below.
    if (!entry.path.includes('/') || /^www\/index\.html$/i.test(entry.path)) topLevel.add(entry.path);
    if (entry.path === MANIFEST) {
      tooLarge = entry.size > limits.maxManifestBytes;
      wanted = !tooLarge;
    } else if (entry.path.endsWith(`/${MANIFEST}`)) {
      nested ??= entry.path;
    }
  }

  function data(piece: Buffer): void {
    if (wanted) pieces.push(piece);
  }

  function finish(): void {
    if (!wanted) return;
    found = Buffer.concat(pieces);
    pieces = [];
    wanted = false;
  }

  async function manifest(): Promise<Manifest> {
    if (tooLarge) throw badManifest(`manifest.json is larger than ${limits.maxManifestBytes} bytes`);
    if (found === null) {
      const hint = nested === null ? '' : ` (there is ${quoteName(nested)})`;
      throw badManifest(`the bundle has no manifest.json at its top level${hint}`);
    }
    const parsed = await readManifest(found);
    const problem = mainFileProblem(parsed, topLevel);
    if (problem !== null) throw badManifest(problem);
    return parsed;
  }

  return { begin, data, finish, manifest };
}
