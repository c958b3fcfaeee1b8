// The server's log: JSON lines on standard output.
import { destination, pino, type Logger } from 'pino';

/** Characters that wait for room on a full disk; what comes after them is dropped. */
const HELD = 2 ** 20;

/** A disk without room for it, or a reader that is gone, loses lines; pino's own output would hang the process for ever. */
export function createLog(level: string): Logger {
  const output = destination({ dest: 1, sync: true, maxLength: HELD });
  output.on('error', () => undefined);
  return pino({ level }, output);
}
