// Signals that stop a server, and what its end says to whoever started it.
import { constants } from 'node:os';

/** What tells a server to stop; SIGHUP is sent when a terminal is closed. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * The exit code of a process that stands for another, which ended with this code or by this signal. One that is told to
 * stop before it serves ends by that signal: that is no failure.
 */
export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  if (code !== null) return code;
  if (signal === null) return 1;
  return STOP_SIGNALS.some((stop) => stop === signal) ? 0 : 128 + constants.signals[signal];
}
