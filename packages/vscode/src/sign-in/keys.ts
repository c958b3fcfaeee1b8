// API keys in the editor's secret store, each bound to its server.
import { normalizeServerUrl } from '@pressroom/api/client';
import { EventEmitter, type Event, type Memento, type SecretStorage } from 'vscode';

export interface Account {
  /** Normalized address. */
  readonly server: string;
  readonly username: string;
  readonly guid: string;
}

export interface Keys {
  /** Accounts with a key, most recently used first. */
  accounts(): readonly Account[];
  /** The key for exactly this server; undefined if there is none. */
  get(server: string): Promise<string | undefined>;
  store(account: Account, key: string): Promise<void>;
  remove(server: string): Promise<Account | undefined>;
  readonly onDidChange: Event<{ added?: Account; removed?: Account }>;
}

const LIST = 'pressroom.accounts';
const secretOf = (server: string) => `pressroom.key:${normalizeServerUrl(server)}`;

/** @param state global, so that a workspace cannot choose an account */
export function createKeys(secrets: SecretStorage, state: Memento): Keys {
  const changed = new EventEmitter<{ added?: Account; removed?: Account }>();
  const accounts = () => state.get<Account[]>(LIST, []);
  const others = (server: string) => accounts().filter((account) => account.server !== server);
  return {
    accounts,
    get: async (server) => secrets.get(secretOf(server)),
    async store(account, key) {
      const server = normalizeServerUrl(account.server);
      await secrets.store(secretOf(server), key);
      await state.update(LIST, [{ ...account, server }, ...others(server)]);
      changed.fire({ added: { ...account, server } });
    },
    async remove(address) {
      const server = normalizeServerUrl(address);
      const removed = accounts().find((account) => account.server === server);
      await secrets.delete(secretOf(server));
      await state.update(LIST, others(server));
      if (removed) changed.fire({ removed });
      return removed;
    },
    onDidChange: changed.event,
  };
}
