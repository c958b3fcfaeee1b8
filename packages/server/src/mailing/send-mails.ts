// Sends pending mails, and retries failed ones with growing pauses. The queue is in the database: it survives restarts,
// and several servers share the work.
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { contentRole, isShownTo } from '../content/policy.ts';
import { findContent, findGrantedRole, type ContentRow } from '../content/store.ts';
import type { DeployService } from '../deploys/deploy-service.ts';
import type { Config } from '../main/config/settings.ts';
import { findUser } from '../people/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import { failureOf } from '../platform/database/unreachable.ts';
import { SILENCE_MS, type Mailer } from '../platform/mailer.ts';
import { findRendering } from '../runtime/rendering-store.ts';
import { DEFAULT_VARIANT } from '../schedules/store.ts';
import { retryOutages } from '../tasks/retry-outages.ts';
import { seesVariant } from '../variants/policy.ts';
import { variantPath } from '../variants/present.ts';
import { findVariant } from '../variants/store.ts';
import { composeInThread, Refused } from './compose-in-thread.ts';
import type { ComposedMail } from './message.ts';
import { mayGoOutside } from './recipients.ts';
import { storedMail } from './report-mail.ts';
import {
  claimDelivery,
  dueDeliveries,
  noteFailedAttempt,
  updateDelivery,
  type DeliveryRow,
} from './store.ts';

export interface Mails extends AsyncDisposable {
  /** Sends due mails. Never rejects. */
  send(): Promise<void>;
}

export interface MailsOptions {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly mailer: Mailer;
  readonly deploys: Pick<DeployService, 'siteDirectory' | 'openDeployed'>;
  readonly contentUrl: (guid: string) => string;
  readonly log: Logger;
}

const LOOK_MS = 3000;
/** Microseconds in which a server must send a claimed mail before another one may: longer than a silent mail server takes. */
const LEASE = 2 * SILENCE_MS * 1000;
/** Milliseconds between attempts to record a sent mail, and their limit: within the lease. */
const AGAIN_MS = 2000;
const RECORD_MS = 540_000;
/** Milliseconds that shutdown waits for the mail in transfer. */
const STOP_MS = 10_000;
/** Microseconds before the first retry; doubled each time. */
const FIRST_PAUSE = 60_000_000;
const MAX_PAUSE = 6 * 3_600_000_000;
const MAX_ERROR_LENGTH = 300;

export function startMails(options: MailsOptions): Mails {
  const { config, storage, clock, mailer, deploys, contentUrl, log } = options;
  const { db } = storage;
  let running: Promise<void> | null = null;
  const stopping = new AbortController();
  /** The last mail, for other recipients of its rendering: composing one may take a minute. */
  let composed: { readonly of: string; readonly mail: Promise<ComposedMail> } | null = null;

  /** @throws Refused if the recipient may no longer see it. */
  async function requireReader(content: ContentRow, delivery: DeliveryRow): Promise<void> {
    const { user_guid: guid, address, variant_key: key } = delivery;
    const variant = key === DEFAULT_VARIANT ? null : await findVariant(db, key);
    if (variant === undefined) throw new Refused('the variant was deleted');
    const locked = new Refused('the content is locked');
    if (guid === null) {
      if (!isShownTo(content, null)) throw locked;
      if (!mayGoOutside(config, address)) throw new Refused('Mail.AllowedDomains does not have this address');
      if (variant?.visibility === 'private') throw new Refused('the variant is private');
      return;
    }
    const user = await findUser(db, guid);
    const mayRead = user && user.locked === 0 && user.email.toLowerCase() === address;
    const role =
      user &&
      contentRole(content, { guid, role: user.user_role }, await findGrantedRole(db, content.guid, guid));
    if (!mayRead || !role || role === 'none') throw new Refused('this user may not view the content');
    // It may be somebody else's.
    if (user.confirmed === 0) throw new Refused('this user has not confirmed the address');
    if (!isShownTo(content, role)) throw locked;
    if (variant && !seesVariant(variant, role, { guid, role: user.user_role }))
      throw new Refused('this user may not view the variant');
  }

  async function mailOf(delivery: DeliveryRow): Promise<ComposedMail> {
    const { content_guid, rendering_id, attempts } = delivery;
    const content = await findContent(db, content_guid);
    if (!content) throw new Refused('the rendering is gone');
    await requireReader(content, delivery);
    const of = `${rendering_id}, attempt ${attempts}`;
    if (composed?.of !== of) composed = { of, mail: compose(content, delivery) };
    return composed.mail;
  }

  async function compose(content: ContentRow, delivery: DeliveryRow): Promise<ComposedMail> {
    const { variant_key: key, rendering_id } = delivery;
    const rendering = await findRendering(db, rendering_id);
    const variant = key === DEFAULT_VARIANT ? null : await findVariant(db, key);
    const shown = variant === null ? content : variant;
    if (!rendering || !shown?.site || shown.bundle_id === null) throw new Refused('the rendering is gone');
    // A newer rendering has replaced it: that one is mailed, once.
    const { site, bundle_id } = shown;
    const files = { guid: content.guid, site, bundle_id, rendering_id };
    using held = deploys.openDeployed && (await deploys.openDeployed.served(files));
    const name = content.title ?? content.name;
    // The files are held until they are read.
    return await composeInThread({
      root: held?.root ?? deploys.siteDirectory(content.guid, site),
      title: variant?.name ? `${name}: ${variant.name}` : name,
      url: contentUrl(content.guid) + (variant ? variantPath(key) : ''),
      mail: storedMail(rendering.mail),
      limit: config['Mail.MaxSize'],
    });
  }

  async function sendOne(delivery: DeliveryRow): Promise<void> {
    const attempts = delivery.attempts + 1;
    if (!(await claimDelivery(db, delivery, clock.now() + LEASE))) return;
    try {
      await mailer.send({ ...(await mailOf(delivery)), to: delivery.address });
    } catch (error) {
      const isLast = isPermanent(error) || attempts >= config['Mail.Attempts'];
      const pause = Math.min(FIRST_PAUSE * 2 ** (attempts - 1), MAX_PAUSE);
      log.warn(error, 'mail %d of content %s, attempt %d', delivery.id, delivery.content_guid, attempts);
      await noteFailedAttempt(db, delivery.id, {
        state: isLast ? 'failed' : 'waiting',
        error: lineOf(error),
        next_time: isLast ? null : clock.now() + pause,
      });
      return;
    }
    const sent = { state: 'sent', error: '', sent_time: clock.now(), next_time: null } as const;
    // A mail that is not recorded as sent is sent again.
    const trying = { log: () => undefined, signal: stopping.signal, triesLast: true };
    await retryOutages(trying, () => updateDelivery(db, delivery.id, sent), AGAIN_MS, RECORD_MS);
  }

  async function work(): Promise<void> {
    const now = clock.now();
    const due = await dueDeliveries(db, now, now + LEASE + MAX_PAUSE);
    if (due.length === 0) composed = null;
    for (const delivery of due) {
      if (stopping.signal.aborted) return;
      await sendOne(delivery);
    }
  }

  function send(): Promise<void> {
    running ??= work()
      .catch(failureOf('sending mails', log))
      .finally(() => (running = null));
    return running;
  }

  const looking = setInterval(() => void send(), LOOK_MS).unref();
  return {
    send,
    /** Records whether it was sent: mails with an unknown state are sent again. */
    async [Symbol.asyncDispose]() {
      clearInterval(looking);
      stopping.abort();
      await Promise.race([running, delay(STOP_MS, undefined, { ref: false })]);
    },
  };
}

/** Also where the mail server refuses the recipient for good (RFC 5321, 4.2.1); its other errors may be settings. */
function isPermanent(error: unknown): boolean {
  if (error instanceof Refused) return true;
  const { command, responseCode } = error as { readonly command?: unknown; readonly responseCode?: unknown };
  return command === 'RCPT TO' && typeof responseCode === 'number' && responseCode >= 500;
}

/** In one line, for lists. */
function lineOf(error: unknown): string {
  const text = error instanceof Error ? error.message : 'it could not be sent';
  return text.replaceAll(/\s+/g, ' ').slice(0, MAX_ERROR_LENGTH);
}
