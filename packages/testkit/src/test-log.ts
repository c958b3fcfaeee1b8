// The log of test servers: silent, unless PRESSROOM_TEST_LOG sets a level.
import { pino, type Logger } from 'pino';

export function testLog(): Logger {
  return pino({ level: process.env.PRESSROOM_TEST_LOG ?? 'silent' });
}
