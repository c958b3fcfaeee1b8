// Parses content searches: words, and filters such as owner:jane or tag:"My team".

export interface SearchQuery {
  /** In lower case; all must match. */
  readonly words: readonly string[];
  /** In lower case; for each non-empty list, one value must match. */
  readonly owners: readonly string[];
  readonly types: readonly string[];
  readonly tags: readonly string[];
  /** `published` or `unpublished`; both match everything. */
  readonly states: readonly string[];
}

const TERM = /(?:(owner|type|tag|state):)?(?:"((?:[^"]|"")*)"|(\S+))/gi;

/** Quotes a value, which may contain spaces and quotes, for a search. */
export function quoted(value: string): string {
  return `"${value.replaceAll('"', '""')}"`;
}

/** A doubled quote within quotes is a literal quote. Unknown filters and unclosed quotes are ordinary words. */
export function parseSearch(text: string): SearchQuery {
  type Filter = 'word' | 'owner' | 'type' | 'tag' | 'state';
  const found: Record<Filter, string[]> = { word: [], owner: [], type: [], tag: [], state: [] };
  for (const [, filter, inQuotes, bare] of text.matchAll(TERM)) {
    const value = (inQuotes?.replaceAll('""', '"') ?? bare ?? '').trim().toLowerCase();
    const list = found[(filter?.toLowerCase() ?? 'word') as Filter];
    if (value !== '') list.push(value);
  }
  return { words: found.word, owners: found.owner, types: found.type, tags: found.tag, states: found.state };
}
