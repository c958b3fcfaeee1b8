// Detects kinds by a file that contains a text.
import { kinds, type ContentKind } from '../../contract/find-kind.ts';
import type { ContentCandidate, ContentView } from './content-candidate.ts';

/** Top-level files that match a row of the table of kinds. */
export function detectFiles(
  view: ContentView,
  rows: readonly Pick<ContentKind, 'appmode' | 'detection'>[] = kinds,
): ContentCandidate[] {
  return rows.flatMap(({ appmode, detection }) => {
    if (detection?.by !== 'file') return [];
    const named = [...view.names].filter((name) => detection.name.test(name));
    return named
      .filter((name) => detection.text.test(view.text(name)))
      .map((name) => ({
        appmode,
        contentCategory: '',
        primary: name,
        entrypoint: name,
        hasParameters: false,
        confidence: named.length === 1 ? 0.9 : detection.usual.test(name) ? 0.85 : 0.7,
        why: `${name} is ${detection.why}.`,
        reason: { code: 'file', args: [name, appmode] },
      }));
  });
}

/** Whether a file of this name alone can make a directory content. */
export function isFileOfKind(name: string): boolean {
  return kinds.some(({ detection }) => detection?.by === 'file' && detection.name.test(name));
}
