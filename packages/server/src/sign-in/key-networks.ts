// The networks that API keys are used from: a key used from a new one may be stolen.
import type { Actor } from '../audit/record.ts';
import type { SecurityEvents } from '../audit/security-events.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import { createRecent } from '../platform/recent.ts';
import { addNetworkOfKey, type ApiKeyRow, networksOfKey } from './store.ts';
import { networkOf } from './throttle.ts';

/** Networks recorded per key, and cached pairs of key and network. */
const NETWORKS_OF_KEY = 100;
const NETWORKS_KEPT = 20_000;

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly events: SecurityEvents;
}

export interface KeyNetworks {
  /** Records the network of an address; the key's owner and the auditor see every one but the first. */
  note(owner: Actor, key: ApiKeyRow, address: string): Promise<void>;
}

export function createKeyNetworks({ storage, clock, events }: Parts): KeyNetworks {
  const noted = createRecent<true>(NETWORKS_KEPT);

  return {
    async note(owner, key, address) {
      const network = networkOf(address);
      const pair = `${key.id} ${network}`;
      if (key.content_guid !== null || key.visited_guid !== null || noted.has(pair)) return;
      noted.set(pair, true);
      let known: readonly string[];
      try {
        known = await networksOfKey(storage.db, key.id);
        if (known.includes(network)) return;
        const row = { api_key_id: key.id, network, first_time: clock.now() };
        await storage.write((tx) => addNetworkOfKey(tx, row, NETWORKS_OF_KEY));
      } catch (error) {
        // The next request from there counts as the first again.
        noted.delete(pair);
        throw error;
      }
      if (known.length === 0) return;
      const description = `API key "${key.name}" (${key.id}) was used from ${address}, for the first time`;
      await events.record({ actor: owner, action: 'use_api_key', description, each: 1 });
    },
  };
}
