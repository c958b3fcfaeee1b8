// Detects the kind of content in a directory, with a reason for each candidate.
import { comparePaths, resolveRoot, type BundleFile } from '../collect/bundle-file.ts';
import { collectFiles } from '../collect/collect-files.ts';
import { mapLimited } from '../collect/concurrency.ts';
import { readBeginning } from '../collect/open-file.ts';
import type { ContentCandidate, ContentView } from './content-candidate.ts';
import { detectFiles, isFileOfKind } from './detect-file.ts';
import { detectNode, detectProgram } from './detect-program.ts';
import { detectPython, packageFiles } from './detect-python.ts';
import { detectQuarto } from './detect-quarto.ts';
import { detectPlumber, detectRMarkdown, detectShiny } from './detect-r.ts';
import { detectManifest, detectStatic } from './detect-static.ts';

const READ =
  /\.(r|rmd|qmd|py)$|^(_site\.ya?ml|_server\.ya?ml|_bookdown\.ya?ml|_quarto\.ya?ml|data\.txt|manifest\.json|package\.json|pressroom\.toml|Procfile)$/i;
const FILES_READ = 500;

/**
 * Candidates, most likely first; empty if nothing is recognised. `files` come from `collectFiles`, by default collected
 * with its defaults. Nothing is executed. Throws BundleError like `collectFiles` and for files that changed since they
 * were listed.
 */
export async function detectContent(
  dir: string,
  files?: readonly BundleFile[],
  options: { signal?: AbortSignal } = {},
): Promise<ContentCandidate[]> {
  return candidatesOf(await viewContent(dir, files, options));
}

/** The input of detectors. Throws like `detectContent`. */
export async function viewContent(
  dir: string,
  files: readonly BundleFile[] | undefined,
  { signal }: { signal?: AbortSignal } = {},
): Promise<ContentView> {
  const listed = files ?? (await collectFiles(dir, signal === undefined ? {} : { signal })).files;
  const root = await resolveRoot(dir);
  const top = listed.filter((file) => !file.path.includes('/')).toSorted(comparePaths);
  const texts = new Map<string, string>();
  const names = new Set(top.map((file) => file.path));
  const paths = new Set(listed.map((file) => file.path));
  const inPackages = new Set(packageFiles({ names, paths }));
  const worthReading = [
    ...top.filter(({ path }) => READ.test(path) || isFileOfKind(path)),
    ...listed.filter(({ path }) => inPackages.has(path)),
  ].slice(0, FILES_READ);
  await mapLimited(worthReading, 8, signal, async (file) => {
    texts.set(file.path, await readBeginning(root, file));
  });
  return { names, paths, text: (name) => texts.get(name) ?? '' };
}

/** Most likely first. */
export function candidatesOf(view: ContentView): ContentCandidate[] {
  const candidates = [
    detectManifest,
    detectShiny,
    detectPlumber,
    detectPython,
    detectNode,
    detectProgram,
    detectRMarkdown,
    detectQuarto,
    detectFiles,
    detectStatic,
  ].flatMap((detect) => detect(view));
  // Stable: equal candidates stay in the order of detectors, then of names.
  return candidates.toSorted((a, b) => b.confidence - a.confidence);
}
