// What a search for content says: words, and filters such as owner:jane or tag:"My team".

export interface SearchQuery {
  /** In lower case; each must occur. */
  readonly words: readonly string[];
  /** In lower case; of each that is not empty, one must fit. */
  readonly owners: readonly string[];
  readonly types: readonly string[];
  readonly tags: readonly string[];
  /** `published` and `unpublished`; of both, everything. */
  readonly states: readonly string[];
}

const TERM = /(?:(owner|type|tag|state):)?(?:"((?:[^"]|"")*)"|(\S+))/gi;

/** A value that may hold spaces and quotes, as a search takes it. */
export function quoted(value: string): string {
  return `"${value.replaceAll('"', '""')}"`;
}

/** Two quotes within quotes are one. An unknown filter is a word like any other, and so is a quote that is not closed. */
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
