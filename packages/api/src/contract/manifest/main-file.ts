// The main file of content: which one it is, and whether a bundle has it (contract, section 4.3, upload rules 2 and 3).
import { findKind } from '../find-kind.ts';
import type { Manifest } from './manifest.ts';
import { quoteName } from './quote-name.ts';

/** The main file, if known: it must be at the archive's top level. */
export function primaryFileOf(manifest: Manifest): string | null {
  const { primary = null, usualPrimary = null } = findKind(manifest.appmode) ?? {};
  return primary === null ? null : (manifest[primary] ?? usualPrimary);
}

/**
 * Whether Shiny finds an application among the top-level files. Like Shiny, accepts any case, and a page in `www` as
 * user interface.
 */
export function holdsShinyApp(topLevel: Iterable<string>): boolean {
  const names = new Set([...topLevel].map((name) => name.toLowerCase()));
  return names.has('app.r') || (names.has('server.r') && (names.has('ui.r') || names.has('www/index.html')));
}

/**
 * What a bundle lacks to be opened; null if nothing is known to be missing.
 * @param topLevel names of the top-level files, and www/index.html if present.
 */
export function mainFileProblem(manifest: Manifest, topLevel: ReadonlySet<string>): string | null {
  const primary = primaryFileOf(manifest);
  if (primary !== null && !topLevel.has(primary))
    return `the primary file ${quoteName(primary)} is not at the top level of the bundle`;
  if (manifest.appmode === 'shiny' && !holdsShinyApp(topLevel))
    return 'a Shiny bundle has app.R, or ui.R and server.R, at its top level';
  return null;
}
