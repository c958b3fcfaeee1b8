// Mails the owner when live content keeps failing: its processes crash or do not start.
import type { Logger } from 'pino';
import { mailEach } from '../people/notify-people.ts';
import { findUser } from '../people/store.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Mailer } from '../platform/mailer.ts';
import { dashboardUrl, oneLineName } from './present.ts';
import { findContent } from './store.ts';

/** Failures before a mail: a single one may be an accident. */
const FAILURES = 3;
/** Microseconds within which they must occur. */
const WITHIN = 3_600_000_000;
/** Microseconds until the owner is mailed again. */
const AGAIN = 24 * WITHIN;

interface Parts {
  readonly storage: Pick<Storage, 'db'>;
  readonly mailer: Mailer | null;
  readonly log: Logger;
  /** Address of the server, without a trailing slash. */
  readonly address: () => string;
}

interface Failed {
  readonly contentGuid: string;
  readonly bundleId: number;
  /** Microseconds. */
  readonly time: number;
  /** Reason of the end; absent if it did not start. */
  readonly reason?: string;
}

/** Counts in memory, on this server, from its start. Mails are sent in the background. */
export function createFailureNotifier({ storage, mailer, log, address }: Parts) {
  const failures = new Map<string, number[]>();
  const notified = new Map<string, number>();

  async function notify({ contentGuid, bundleId, time: now, reason }: Failed): Promise<void> {
    if (!mailer) return;
    const recent = (failures.get(contentGuid) ?? []).filter((time) => now - time < WITHIN);
    recent.push(now);
    failures.set(contentGuid, recent.slice(-FAILURES));
    if (recent.length < FAILURES || now - (notified.get(contentGuid) ?? -Infinity) < AGAIN) return;
    const content = await findContent(storage.db, contentGuid);
    // Drafts and canaries are watched by those who try them.
    if (!content || content.bundle_id !== bundleId) return;
    const owner = await findUser(storage.db, content.owner_guid);
    if (!owner) return;
    notified.set(contentGuid, now);
    const name = oneLineName(content);
    const why = reason === undefined ? 'its processes do not start' : `the last process ${reason}`;
    const logs = `${dashboardUrl(address(), content.guid)}/logs`;
    const text = `${name} failed ${FAILURES} times within an hour: ${why}.\n\nIts log: ${logs}\n\nYou are not told again for a day.`;
    await mailEach({ mailer, log }, [owner], `${name} keeps failing`, text);
  }

  return (failed: Failed): void =>
    void notify(failed).catch((error: unknown) => log.error(error, 'telling of failures'));
}
