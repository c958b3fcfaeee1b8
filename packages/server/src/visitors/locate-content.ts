// Finds the content item of a path: by GUID, or by vanity path, which are cached.
import { findVanityOf, type VanityRow } from '../content/vanity/store.ts';
import { createKeptRecords } from '../platform/database/kept-records.ts';
import type { Storage } from '../platform/database/storage.ts';

export interface Located {
  readonly guid: string;
  /** Path relative to the content; empty without the slash. */
  readonly rest: string;
  readonly prefix: string;
  readonly query: string;
}

export interface Locator {
  /** The content of a path. */
  locate(path: string): Promise<Located | null>;
  /** To be called when a vanity path may have changed. */
  forget(): void;
}

interface FoundVanity {
  /** Undefined if the address is not of content. */
  readonly vanity: VanityRow | undefined;
}

const CONTENT_PATH = /^\/content\/([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})(\/[^?]*)?(\?.*)?$/;
/** Maximum cached addresses. */
const ADDRESSES_KEPT = 2000;

export function createLocator(storage: Storage): Locator {
  const vanities = createKeptRecords<FoundVanity>(storage, { max: ADDRESSES_KEPT });

  async function locate(url: string): Promise<Located | null> {
    const match = CONTENT_PATH.exec(url);
    if (match) {
      const [, name = '', rest = '', query = ''] = match;
      const guid = name.toLowerCase();
      return { guid, rest, prefix: `/content/${guid}`, query };
    }
    const [path, query] = splitQuery(url);
    if (path.startsWith('/__')) return null;
    const wanted = `${path.toLowerCase()}/`;
    const found = await vanities.get(wanted, async () => ({
      vanity: await findVanityOf(storage.db, wanted),
    }));
    if (!found?.vanity) return null;
    const { path_key, content_guid: guid } = found.vanity;
    const length = path_key.length - 1;
    return { guid, rest: path.slice(length), prefix: path.slice(0, length), query };
  }

  return { locate, forget: () => vanities.dropWhere(() => true) };
}

function splitQuery(url: string): [string, string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at)];
}
