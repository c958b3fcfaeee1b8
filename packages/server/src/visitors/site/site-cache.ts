// A bounded cache of files in extracted directories: small files completely, large ones by their headers.

/** A servable file. Its directory does not change after extraction, so this stays valid until dropped. */
export interface KnownFile {
  /** Absolute, with all links resolved. */
  realPath: string;
  /** The complete file; null if it is too large to cache. */
  body: Buffer | null;
  /** A small body as a binary string, sent in one chunk with its headers. */
  text: string | null;
  /** Bytes. */
  size: number;
  etag: string;
  /** HTTP date. */
  lastModified: string;
  /** The same in seconds since the epoch. */
  modifiedSeconds: number;
  /** Whether it is an HTML document. */
  isPage: boolean;
  /** Names and values alternating, for writeHead: those of a 200 response. */
  headers: string[];
}

/** A cache of files by directory and key. */
export interface SiteCache {
  get(root: string, version: string, key: string): KnownFile | undefined;
  /** Caches `file` under `key`, if there is room; a file may have several keys. */
  put(root: string, version: string, key: string, file: KnownFile): void;
  /** Drops all files of a directory. */
  drop(root: string): void;
  /** Current size in bytes. */
  bytes(): number;
}

interface Site {
  version: string;
  entries: Map<string, Entry>;
}

interface Entry {
  file: KnownFile;
  root: string;
  key: string;
  cost: number;
  used: boolean;
}

/** Approximate bytes of an entry's headers, strings and maps, besides the body. */
const ENTRY_OVERHEAD = 1536;

/** A cache of at most `maxBytes` bytes, including overhead. */
export function createSiteCache(maxBytes: number): SiteCache {
  const sites = new Map<string, Site>();
  // Oldest first. An entry used since the last pass is kept for another round: nearly as good as strict LRU, and a hit
  // only sets a flag.
  const queue = new Set<Entry>();
  let bytes = 0;

  function get(root: string, version: string, key: string): KnownFile | undefined {
    const site = sites.get(root);
    if (site === undefined || site.version !== version) return undefined;
    const entry = site.entries.get(key);
    if (entry === undefined) return undefined;
    entry.used = true;
    return entry.file;
  }

  function put(root: string, version: string, key: string, file: KnownFile): void {
    if (sites.get(root)?.version !== version) drop(root);
    let site = sites.get(root);
    if (site?.entries.has(key)) return;
    const cost =
      ENTRY_OVERHEAD + 2 * (root.length + key.length) + (file.body?.length ?? 0) + (file.text?.length ?? 0);
    if (cost > maxBytes) return;
    if (site === undefined) {
      site = { version, entries: new Map() };
      sites.set(root, site);
    }
    const entry = { file, root, key, cost, used: false };
    site.entries.set(key, entry);
    queue.add(entry);
    bytes += cost;
    makeRoom();
  }

  function makeRoom(): void {
    for (const entry of queue) {
      if (bytes <= maxBytes) return;
      queue.delete(entry);
      if (entry.used) {
        entry.used = false;
        queue.add(entry);
      } else {
        evict(entry);
      }
    }
  }

  function evict(entry: Entry): void {
    queue.delete(entry);
    bytes -= entry.cost;
    const site = sites.get(entry.root);
    site?.entries.delete(entry.key);
    if (site?.entries.size === 0) sites.delete(entry.root);
  }

  function drop(root: string): void {
    const site = sites.get(root);
    if (site === undefined) return;
    for (const entry of site.entries.values()) evict(entry);
  }

  return { get, put, drop, bytes: () => bytes };
}
