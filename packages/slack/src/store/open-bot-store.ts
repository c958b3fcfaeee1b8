// Opens a bot's store without the bot: for tools and tests.
import { createKeyring } from './keyring.ts';
import { openStore, type Store } from './store.ts';

export type BotStore = Store;

/** @param keys as in PRESSROOM_SLACK_KEYS. */
export function openBotStore(where: string, keys: string, now?: () => number): Promise<BotStore> {
  return openStore(where, createKeyring(keys), now);
}
