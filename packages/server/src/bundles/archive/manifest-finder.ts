// Finds manifest.json among the entries of a bundle, without keeping anything else of it.
import type { ArchiveEntry } from './entry-rules.ts';
import type { ArchiveLimits } from './limits.ts';
import { holdsShinyApp, primaryFileOf, readManifest, type Manifest } from './manifest.ts';
import { badManifest, quoteName } from './refusals.ts';
import type { EntrySink } from './tar-reader.ts';

/** A sink that keeps manifest.json only. */
export interface ManifestFinder extends EntrySink {
  /** The manifest, once every entry has passed. @throws ApiError 38 */
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
    // The page of a Shiny application without ui.R is one directory down.
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
    const primary = primaryFileOf(parsed);
    if (primary !== null && !topLevel.has(primary)) {
      throw badManifest(`the primary file ${quoteName(primary)} is not at the top level of the bundle`);
    }
    if (parsed.appmode === 'shiny' && !holdsShinyApp(topLevel)) {
      throw badManifest('a Shiny bundle has app.R, or ui.R and server.R, at its top level');
    }
    return parsed;
  }

  return { begin, data, finish, manifest };
}
