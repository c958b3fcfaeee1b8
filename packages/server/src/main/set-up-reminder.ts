// Until there is an administrator, logs the setup link repeatedly: whoever reaches the port may be first.
import type { Logger } from 'pino';
import { failureOf } from '../platform/database/unreachable.ts';

export interface SetUpReminder extends Disposable {
  /** Logs the link now, if it is still needed. */
  remind(): Promise<void>;
}

export interface SetUpReminderOptions {
  /** Null once there is an account. */
  readonly link: () => Promise<string | null>;
  readonly log: Logger;
}

const MINUTE_MS = 60_000;
/** Reminders per minute, for an hour; then hourly, so that a forgotten server does not fill its disk. */
const OFTEN = 60;

export function startSetUpReminder({ link, log }: SetUpReminderOptions): SetUpReminder {
  let minutes = 0;
  let timer: NodeJS.Timeout | undefined = setInterval(() => void tick(), MINUTE_MS).unref();

  async function remind(): Promise<void> {
    const found = await link();
    if (found !== null) {
      log.warn({ link: found }, 'there is no administrator yet: open the link to create one');
      return;
    }
    clearInterval(timer);
    timer = undefined;
  }

  async function tick(): Promise<void> {
    minutes += 1;
    if (minutes > OFTEN && minutes % OFTEN !== 0) return;
    await remind().catch(failureOf('looking for an administrator', log));
  }

  return {
    remind,
    [Symbol.dispose]() {
      clearInterval(timer);
    },
  };
}
