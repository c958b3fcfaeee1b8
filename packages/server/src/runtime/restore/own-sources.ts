// Package repositories of a content item: used for that content only, at public addresses only.
import type { Language } from '../kinds/engine.ts';
import type { PackageSource } from './package-source.ts';

export interface OwnSource {
  readonly language: Language;
  /** `https://…`, `http://…` or `file://…`; null for the server's. */
  readonly address: string | null;
  /** Authorization header; null for none. */
  readonly authorization: string | null;
}

/** For one language, with the server's repositories in their place; null if the content has none of its own. */
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
