// What the server knows of a content item: its bundles, and what is in one of them.
import { readArchive, type ArchivedFile, type Bundle, type Client } from '@pressroom/api';
import type { Connect } from '../credentials/connect.ts';
import type { Keys } from '../credentials/keys.ts';

export interface ContentRef {
  readonly server: string;
  readonly guid: string;
}

export interface History {
  /** Newest first. Throws a call's failure, or when there is no key for the server. */
  bundles(content: ContentRef): Promise<Bundle[]>;
  url(content: ContentRef): Promise<string>;
  /** Kept for the last few bundles asked for. */
  files(content: ContentRef, bundleId: string): Promise<ReadonlyMap<string, ArchivedFile>>;
}

const BUNDLES_SHOWN = 50;
const BUNDLES_KEPT = 3;

export class NotSignedInError extends Error {
  override readonly name = 'NotSignedInError';
}

export function createHistory(keys: Keys, connect: Connect): History {
  const kept = new Map<string, Promise<ReadonlyMap<string, ArchivedFile>>>();

  async function using<T>(server: string, use: (client: Client) => Promise<T>): Promise<T> {
    const key = await keys.get(server);
    if (key === undefined) throw new NotSignedInError(server);
    const client = connect(server, key);
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  }

  return {
    bundles: ({ server, guid }) =>
      using(server, async (client) => {
        const all: Bundle[] = [];
        for await (const bundle of client.each.getBundles({ guid })) all.push(bundle);
        return all.toSorted((a, b) => Number(b.id) - Number(a.id)).slice(0, BUNDLES_SHOWN);
      }),
    url: ({ server, guid }) => using(server, async (client) => (await client.getContent({ guid })).url),
    files({ server, guid }, id) {
      const name = `${server} ${guid} ${id}`;
      const found = kept.get(name);
      if (found) return found;
      const files = using(server, async (client) =>
        readArchive((await client.downloadBundle({ id, guid })).stream),
      );
      kept.set(name, files);
      files.catch(() => kept.delete(name));
      for (const old of [...kept.keys()].slice(0, -BUNDLES_KEPT)) kept.delete(old);
      return files;
    },
  };
}
