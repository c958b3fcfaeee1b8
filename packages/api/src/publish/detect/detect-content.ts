// Guesses what kind of content a directory holds; every guess says why in a sentence.
import { comparePaths, resolveRoot, type BundleFile } from '../collect/bundle-file.ts';
import { collectFiles } from '../collect/collect-files.ts';
import { mapLimited } from '../collect/concurrency.ts';
import { detectPythonApi } from './detect-python.ts';
import { detectPlumber, detectRMarkdown, detectShiny } from './detect-r.ts';
import { detectManifest, detectNotebook, detectStatic } from './detect-static.ts';
import { closeFile, openListed, readFully } from '../collect/open-file.ts';

/** One guess. */
export interface ContentCandidate {
  /** `metadata.appmode` of the manifest. */
  appmode: string;
  /** `site`, `plot`, `pin`, or '' for none. */
  contentCategory: string;
  /** The file the content starts from, at the top of the directory. */
  primary: string;
  /** What the manifest calls entry point: a file, or `module:object` for Python APIs. */
  entrypoint: string;
  /** A rendered R Markdown document that takes parameters. */
  hasParameters: boolean;
  /** 0 to 1; only good for comparing. */
  confidence: number;
  /** A sentence for people. */
  why: string;
}

/** What detectors look at: the files at the top of the directory, with the beginning of those worth reading. */
export interface ContentView {
  /** Names of the files at the top. */
  names: ReadonlySet<string>;
  /** Every path of the bundle. */
  paths: ReadonlySet<string>;
  /** The first 512 KiB as text; '' when the file was not read. */
  text: (name: string) => string;
}

const TEXT_BYTES = 512 * 1024;
const READ = /\.(r|rmd|py|ipynb)$|^(_site\.ya?ml|data\.txt|manifest\.json)$/i;
const FILES_READ = 500;

/**
 * Candidates, the most likely first; an empty list when nothing is recognised. `files` come from `collectFiles`
 * and are collected with its defaults when left out. Nothing is executed. Throws BundleError as `collectFiles` does
 * and for files that changed since they were listed.
 */
export async function detectContent(
  dir: string,
  files?: readonly BundleFile[],
  options: { signal?: AbortSignal } = {},
): Promise<ContentCandidate[]> {
  const { signal } = options;
  const listed = files ?? (await collectFiles(dir, signal === undefined ? {} : { signal })).files;
  const root = await resolveRoot(dir);
  const top = listed.filter((file) => !file.path.includes('/')).toSorted(comparePaths);
  const texts = new Map<string, string>();
  const worthReading = top.filter((file) => READ.test(file.path)).slice(0, FILES_READ);
  await mapLimited(worthReading, 8, signal, async (file) => {
    texts.set(file.path, await readBeginning(root, file));
  });
  const view: ContentView = {
    names: new Set(top.map((file) => file.path)),
    paths: new Set(listed.map((file) => file.path)),
    text: (name) => texts.get(name) ?? '',
  };
  const candidates = [
    detectManifest,
    detectShiny,
    detectPlumber,
    detectPythonApi,
    detectRMarkdown,
    detectNotebook,
    detectStatic,
  ].flatMap((detector) => detector(view));
  // Stable: among equals the order of the detectors, then of the names, decides.
  return candidates.toSorted((a, b) => b.confidence - a.confidence);
}

async function readBeginning(root: string, file: BundleFile): Promise<string> {
  const descriptor = await openListed(root, file);
  try {
    const buffer = Buffer.allocUnsafe(Math.min(file.size, TEXT_BYTES));
    const count = await readFully(descriptor, buffer, 0, buffer.length, 0);
    return buffer.toString('utf8', 0, count).replace(/^\uFEFF/, '');
  } finally {
    await closeFile(descriptor);
  }
}
