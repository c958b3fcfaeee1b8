// Package repositories that content names itself: asked by the server for that content alone, at public addresses only.
import type { Language } from '../kinds/engine.ts';
import type { PackageSource } from './package-source.ts';

export interface OwnSource {
  readonly language: Language;
  /** `https://…`, `http://…` or `file://…`; null for those of the server. */
  readonly address: string | null;
  /** For the header of requests; null for none. */
  readonly authorization: string | null;
}

/** Of one language, those of the server in their place; null where the content has none of its own for it. */
export function sourcesFor(
  own: readonly OwnSource[],
  language: Language,
  ofServer: readonly PackageSource[],
): PackageSource[] | null {
  const named = own.filter((one) => one.language === language);
  if (named.length === 0) return null;
  return named.flatMap(({ address, authorization }) =>
    address === null ? ofServer : [{ address, authorization, isOwn: true as const }],
  );
}
