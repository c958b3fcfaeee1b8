// Content that is temporarily unavailable: too many visitors, a failed start, a lost process.
import { isOutage } from '../platform/outage.ts';

/** Not an API error: a message for visitors of content, with an HTTP status. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  readonly status: 502 | 503 | 504;
  readonly title: string;
  /** Seconds until another attempt is made; null if that is not known. */
  retryAfter: number | null = null;

  /** @param message for visitors: what they can do, without internals. */
  constructor(status: 502 | 503 | 504, title: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.title = title;
  }
}

/** The maximum number of processes runs, including other servers: not a failed start. */
export class NoPlace extends Error {
  override readonly name = 'NoPlace';
}

export class TooBusy extends Unavailable {
  constructor() {
    super(503, 'Too many visitors', 'Everything that runs this content is in use. Try again in a moment.');
  }
}

export function tooBusy(): Unavailable {
  return new TooBusy();
}

export function startFailed(cause: unknown): Unavailable {
  if (isOutage(cause)) {
    const message = 'What runs this content does not respond at the moment. Try again in a moment.';
    return new Unavailable(503, 'The content cannot be opened', message, { cause });
  }
  const message = 'This content could not be started. Its owner finds the reason in its log.';
  return new Unavailable(502, 'The content does not start', message, { cause });
}

export function filesUnavailable(cause: unknown): Unavailable {
  const message = 'The files of this content cannot be reached at the moment. Try again in a moment.';
  return new Unavailable(503, 'The content cannot be opened', message, { cause });
}

/** The server drains: not a failed start. */
export class ClosedForStarts extends Unavailable {
  constructor() {
    super(
      503,
      'This server is closing',
      'An administrator is about to stop this server, and it starts nothing more. Try again in a few minutes.',
    );
  }
}

export function startTooSlow(seconds: number): Unavailable {
  const message = `This content did not start within ${seconds} seconds. Its owner finds more in its log.`;
  return new Unavailable(504, 'The content does not start', message);
}

/** For its owner, the log has no cause: the process runs. */
export function invalidResponse(): Unavailable {
  const message = 'The response of this content is not valid HTTP, or has headers of more than 16 KiB.';
  return new Unavailable(502, 'The content cannot be shown', message);
}

export function clientDisconnected(): Unavailable {
  return new Unavailable(502, 'The content stopped', 'The process that ran this content ended. Try again.');
}
