// The server's log: JSON lines on standard output.
import { destination, pino, type Logger } from 'pino';

/** Characters queued while the disk is full; later ones are dropped. */
const HELD = 2 ** 20;

/** Lines are lost on a full disk or without a reader; pino's own output would hang the process. */
export function createLog(level: string): Logger {
  const output = destination({ dest: 1, sync: true, maxLength: HELD });
  output.on('error', () => undefined);
  return pino({ level }, output);
}
