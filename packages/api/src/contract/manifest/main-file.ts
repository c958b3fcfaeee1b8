// The file that content opens with: which one it is, and whether a bundle has it (contract, section 4.3, upload rules 2 and 3).
import { findKind } from '../kinds.ts';
import type { Manifest } from './manifest.ts';
import { quoteName } from './quote-name.ts';

/** The file that the content opens with, as far as it is known: it must be at the archive's top level. */
export function primaryFileOf(manifest: Manifest): string | null {
  const { primary = null, usualPrimary = null } = findKind(manifest.appmode) ?? {};
  return primary === null ? null : (manifest[primary] ?? usualPrimary);
}

/**
 * Whether Shiny finds an application among the files at the top level.
 * As Shiny does, letters of either case are taken, and a page in `www` for the user interface.
 */
export function holdsShinyApp(topLevel: Iterable<string>): boolean {
  const names = new Set([...topLevel].map((name) => name.toLowerCase()));
  return names.has('app.r') || (names.has('server.r') && (names.has('ui.r') || names.has('www/index.html')));
}

/**
 * What a bundle lacks to be opened; null when nothing is known to be missing.
 * @param topLevel names of the files at the top level, and www/index.html where there is one.
 */
export function mainFileProblem(manifest: Manifest, topLevel: ReadonlySet<string>): string | null {
  const primary = primaryFileOf(manifest);
  if (primary !== null && !topLevel.has(primary))
    return `the primary file ${quoteName(primary)} is not at the top level of the bundle`;
  if (manifest.appmode === 'shiny' && !holdsShinyApp(topLevel))
    return 'a Shiny bundle has app.R, or ui.R and server.R, at its top level';
  return null;
}
