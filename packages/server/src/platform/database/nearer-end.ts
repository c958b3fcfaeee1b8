// Pages by number: one in the far half of a list is read backwards, as skipped rows cost time.

export interface Span {
  readonly offset: number;
  readonly limit: number;
}

/** Where to read a page from, in a list of `total` rows. Rows read backwards must be reversed. */
export function nearerEnd({ offset, limit }: Span, total: number): Span & { readonly backwards: boolean } {
  if (offset <= total / 2) return { offset, limit, backwards: false };
  const shown = Math.max(0, Math.min(limit, total - offset));
  return { offset: Math.max(0, total - offset - shown), limit: shown, backwards: true };
}
