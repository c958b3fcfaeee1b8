// Chooses the kind of a directory: the publisher's choice, else the previous one, else the best guess.
import type { ContentCandidate } from './content-candidate.ts';

export interface ContentSelector {
  type?: string | undefined;
  entrypoint?: string | undefined;
}

/** Whether the publisher chose the kind or the entry point. */
export function isChosen({ type, entrypoint }: ContentSelector): boolean {
  return type !== undefined || entrypoint !== undefined;
}

/** The candidate to publish as, or undefined if none is known. */
export function chooseContent(
  candidates: readonly ContentCandidate[],
  selector: ContentSelector,
  before?: ContentSelector,
): ContentCandidate | undefined {
  const { type, entrypoint } = selector;
  if (!isChosen(selector)) {
    return (before === undefined ? undefined : find(candidates, before)) ?? candidates[0];
  }
  const found = find(candidates, selector);
  if (found !== undefined) return found;
  const likeliest = find(candidates, { type }) ?? find(candidates, { entrypoint });
  const mode = type ?? likeliest?.appmode;
  if (mode === undefined) return undefined;
  const start = entrypoint ?? likeliest?.entrypoint ?? '';
  return {
    appmode: mode,
    contentCategory: '',
    primary: entrypoint === undefined ? (likeliest?.primary ?? '') : fileOf(entrypoint),
    entrypoint: start,
    hasParameters: false,
    confidence: 1,
    why: 'You chose this type or entry point.',
    reason: { code: 'chosen', args: [] },
  };
}

function find(
  candidates: readonly ContentCandidate[],
  selector: ContentSelector,
): ContentCandidate | undefined {
  return candidates.find(
    (candidate) =>
      (selector.type === undefined || candidate.appmode === selector.type) &&
      (selector.entrypoint === undefined ||
        candidate.entrypoint === selector.entrypoint ||
        candidate.primary === selector.entrypoint),
  );
}

/** The file of `module:object`, with `/` for packages, or the name itself. */
function fileOf(entrypoint: string): string {
  const [module = '', object] = entrypoint.split(':');
  return object === undefined || module.endsWith('.py') ? module : `${module.replaceAll('.', '/')}.py`;
}
