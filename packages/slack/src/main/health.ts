// What /health says: whether the bot has its database and its connection to Slack.
import { setTimeout } from 'node:timers/promises';
import type { Store } from '../store/store.ts';
import type { Socket } from './socket.ts';

export interface Health {
  status: 'ok' | 'unavailable';
  database: 'ok' | 'unavailable';
  /** Null if Slack sends requests over HTTP: there is no connection to lose. */
  slack: 'connected' | 'disconnected' | null;
}

/** Milliseconds until the database counts as unresponsive. */
const PATIENCE = 2000;

export async function readHealth(
  store: Pick<Store, 'ping'>,
  socket: Pick<Socket, 'isOpen'> | null,
  patience = PATIENCE,
): Promise<Health> {
  const answered = store.ping().then(
    () => true,
    () => false,
  );
  const isThere = await Promise.race([answered, setTimeout(patience, false, { ref: false })]);
  const isOpen = socket?.isOpen ?? true;
  return {
    status: isThere && isOpen ? 'ok' : 'unavailable',
    database: isThere ? 'ok' : 'unavailable',
    slack: socket && (isOpen ? 'connected' : 'disconnected'),
  };
}
