// Differences of two bundles as text: for `pressroom changes`, and for the report of a deploy.
import { type Client, isMissingEndpoint, RefusedError } from '@pressroom/api/client';
import type { MovedNumbers } from '@pressroom/api/contract';
import { type ArchiveChanges, compareArchives, type FileChange } from '@pressroom/api/publish';

/** Ids of two bundles. */
export type BundlePair = Readonly<Record<'before' | 'after', string>>;

export interface ComparedBundles {
  readonly found: ArchiveChanges;
  /** Null if the server does not compare them. */
  readonly numbers: MovedNumbers | null;
}

/** Maximum numbers shown; --json has all that the server lists. */
const MAX_NUMBERS = 20;
const SIGNS = { same: ' ', added: '+', removed: '-' } as const;

/** Throws what the client throws. */
export async function compareBundles(
  client: Client,
  guid: string,
  ids: BundlePair,
  signal: AbortSignal,
): Promise<ComparedBundles> {
  const found = await compareArchives(
    async (which) => (await client.downloadBundle({ guid, id: ids[which] }, { signal })).stream,
    { signal },
  );
  const numbers = await client
    .compareBundleNumbers({ guid, id: ids.after, since: ids.before }, { signal })
    .catch(noneOfThese);
  return { found, numbers };
}

/** @param withLines includes changed lines of files */
export function changeLines(
  ids: BundlePair,
  { found, numbers }: ComparedBundles,
  withLines: boolean,
): string[] {
  return [...described(ids, found, withLines), ...movedLines(numbers)];
}

/** For other servers, and bundles without a stored page. */
function noneOfThese(error: unknown): null {
  if (isMissingEndpoint(error) || error instanceof RefusedError) return null;
  throw error;
}

function movedLines(numbers: MovedNumbers | null): string[] {
  if (numbers === null || numbers.moved.length === 0) return [];
  const { moved, more } = numbers;
  const left = moved.length - MAX_NUMBERS + more;
  return [
    '',
    'Numbers that moved:',
    ...moved.slice(0, MAX_NUMBERS).map(({ table, row, column, before, after, percent }) => {
      const share = percent === null ? '' : ` (${percent > 0 ? '+' : ''}${percent} %)`;
      return `  ${table}, ${row}, ${column}: ${before} -> ${after}${share}`;
    }),
    ...(left > 0 ? [`  ${left} more: see --json`] : []),
  ];
}

function described(
  { before, after }: BundlePair,
  { facts, files, same, more }: ArchiveChanges,
  withLines: boolean,
): string[] {
  const unchanged = `${same} ${same === 1 ? 'file is' : 'files are'} the same${more > 0 ? `; ${more} more changed` : ''}.`;
  return [
    `Bundle ${before} to bundle ${after}:`,
    ...facts.map((fact) => `  ${fact.what}: ${fact.before ?? 'none'} -> ${fact.after ?? 'none'}`),
    ...files.map(
      (file) =>
        `  ${file.change.padEnd(8)} ${file.path}${file.counts ? ` (+${file.counts.added} -${file.counts.removed})` : ''}`,
    ),
    unchanged,
    ...(withLines ? files.flatMap(linesOf) : []),
  ];
}

function linesOf({ path, lines }: FileChange): string[] {
  if (lines === null) return [];
  const shown = lines.map(({ kind, text }) => (kind === 'skipped' ? `@@ ${text}` : `${SIGNS[kind]}${text}`));
  return ['', path, ...shown];
}
