// API keys in the editor's secret store, each bound to its server.
import { normalizeServerUrl } from '@pressroom/api/client';
import { EventEmitter, type Disposable, type Event, type Memento, type SecretStorage } from 'vscode';

export interface Account {
  /** Normalized address. */
  readonly server: string;
  readonly username: string;
  readonly guid: string;
}

export interface Keys extends Disposable {
  /** Accounts with a key, most recently used first. */
  accounts(): readonly Account[];
  /** The key for exactly this server; undefined if there is none. */
  get(server: string): Promise<string | undefined>;
  store(account: Account, key: string): Promise<void>;
  remove(server: string): Promise<Account | undefined>;
  /** Without accounts if another window signed in or out. */
  readonly onDidChange: Event<{ added?: Account; removed?: Account }>;
}

const LIST = 'pressroom.accounts';
const PREFIX = 'pressroom.key:';
const secretOf = (server: string) => PREFIX + normalizeServerUrl(server);

/** @param state global, so that a workspace cannot choose an account */
export function createKeys(secrets: SecretStorage, state: Memento): Keys {
  const changed = new EventEmitter<{ added?: Account; removed?: Account }>();
  /** Secrets as this window left or last saw them: the editor reports its changes, too, unless they change nothing. */
  const seen = new Map<string, string | undefined>();
  const subscription = secrets.onDidChange(({ key }) => {
    if (!key.startsWith(PREFIX)) return;
    const note = (secret: string | undefined) => {
      if (seen.has(key) && seen.get(key) === secret) return;
      seen.set(key, secret);
      changed.fire({});
    };
    // A locked secret store: what has changed is unknown, and whoever needs the key learns why.
    void secrets.get(key).then(note, () => {
      seen.delete(key);
      changed.fire({});
    });
  });
  const accounts = () => state.get<Account[]>(LIST, []);
  const others = (server: string) => accounts().filter((account) => account.server !== server);
  return {
    accounts,
    get: async (server) => secrets.get(secretOf(server)),
    async store(account, key) {
      const server = normalizeServerUrl(account.server);
      // First the list: other windows read it when the secret changes.
      await state.update(LIST, [{ ...account, server }, ...others(server)]);
      seen.set(secretOf(server), key);
      await secrets.store(secretOf(server), key);
      changed.fire({ added: { ...account, server } });
    },
    async remove(address) {
      const server = normalizeServerUrl(address);
      const removed = accounts().find((account) => account.server === server);
      await state.update(LIST, others(server));
      seen.set(secretOf(server), undefined);
      await secrets.delete(secretOf(server));
      if (removed) changed.fire({ removed });
      return removed;
    },
    onDidChange: changed.event,
    dispose: () => subscription.dispose(),
  };
}
