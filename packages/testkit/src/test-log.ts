// The log of whatever a test starts: silent, unless PRESSROOM_TEST_LOG asks for a level.
import { pino, type Logger } from 'pino';

export function testLog(): Logger {
  return pino({ level: process.env.PRESSROOM_TEST_LOG ?? 'silent' });
}
