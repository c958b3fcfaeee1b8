// Pages by number: one in the far half of a list is read backwards, as skipped rows cost time.

export interface Span {
  readonly offset: number;
  readonly limit: number;
}

/** The direction in which a query sorts by what ascends in the list, or descends. */
export type Direction = (ascends: boolean) => 'asc' | 'desc';

/** The rows of a page of a list with `total` rows, in its order. */
export async function fromNearerEnd<Row>(
  { offset, limit }: Span,
  total: number,
  read: (span: Span, direction: Direction) => Promise<Row[]>,
): Promise<Row[]> {
  if (offset >= total) return [];
  if (offset <= total / 2) return read({ offset, limit }, (ascends) => (ascends ? 'asc' : 'desc'));
  const shown = Math.min(limit, total - offset);
  const span = { offset: total - offset - shown, limit: shown };
  const rows = await read(span, (ascends) => (ascends ? 'desc' : 'asc'));
  return rows.reverse();
}
