/** What tells a server to stop; SIGHUP is sent when a terminal is closed. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
