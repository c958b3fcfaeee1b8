// Bolt's log lines through pino, without debug lines, which contain payloads.
import { LogLevel, type Logger as BoltLogger } from '@slack/bolt';
import type { Logger } from 'pino';

export function boltLogger(log: Logger): BoltLogger {
  const text = (parts: unknown[]) =>
    parts.map((part) => (part instanceof Error ? part.message : String(part))).join(' ');
  return {
    debug: () => undefined,
    info: (...parts) => log.debug(text(parts)),
    warn: (...parts) => log.warn(text(parts)),
    error: (...parts) => log.error(text(parts)),
    setLevel: () => undefined,
    getLevel: () => LogLevel.INFO,
    setName: () => undefined,
  };
}
