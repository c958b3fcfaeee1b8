// Recipients of a variant's renderings: set and read by collaborators.
import { errors, type Audience } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import { loadContent, type Found } from '../content/commands.ts';
import { aboutContent, listPermissions } from '../content/store.ts';
import { requireDocument } from '../deploys/start-deploy.ts';
import { findGroup } from '../groups/store.ts';
import type { Config } from '../main/config/settings.ts';
import { findUser } from '../people/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import type { Mailer } from '../platform/mailer.ts';
import { findRendering } from '../runtime/rendering-store.ts';
import { DEFAULT_VARIANT } from '../schedules/store.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { DEFAULT_KEY, findToChange } from '../variants/read.ts';
import type { VariantRow } from '../variants/store.ts';
import { createDeliveries } from './deliveries.ts';
import { storedMail } from './report-mail.ts';
import { listRecipients, saveRecipients, type RecipientRow } from './store.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly mailer: Mailer | null;
}

export type Wanted = Pick<RecipientRow, 'type' | 'value'>;

const ADDRESS =
  /^[^\s@<>()[\]\\,;:"]{1,64}@([a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+)$/i;

/** Whether an administrator allows mail to addresses that belong to no user. */
export function mayGoOutside(config: Config, address: string): boolean {
  const domain = ADDRESS.exec(address)?.[1]?.toLowerCase();
  const allowed = config['Mail.AllowedDomains'].toLowerCase().split(/[\s,]+/);
  return domain !== undefined && (allowed.includes('*') || allowed.includes(domain));
}

export interface NamedRecipient extends Wanted {
  readonly name: string;
}

/** @throws ApiError 4, 19 */
export async function readRecipients(
  { storage, clock }: Pick<Parts, 'storage' | 'clock'>,
  caller: Caller,
  guid: string,
  key: string,
): Promise<NamedRecipient[]> {
  const found = await loadContent(storage.db, guid, caller, 'readJobs');
  if (key !== DEFAULT_KEY) await findToChange(storage.db, found, caller, key, clock.now());
  const rows = await listRecipients(storage.db, found.content.guid, keyOf(key));
  return Promise.all(rows.map(async (row) => ({ ...row, name: await nameOf(storage.db, row) })));
}

/** @throws ApiError 4, 9, 21, 22, 25, 39, 43, 73, 93 */
export async function setRecipients(
  { config, storage, clock, audit, mailer }: Parts,
  caller: Caller,
  guid: string,
  key: string,
  wanted: readonly Wanted[],
): Promise<void> {
  await storage.write(async (tx) => {
    const found = await loadContent(tx, guid, caller, 'manageVariants');
    const { content } = found;
    requireDocument(content);
    if (!mailer && wanted.length > 0) throw errors.emailNotConfigured();
    const variant = key === DEFAULT_KEY ? null : await findToChange(tx, found, caller, key, clock.now());
    if (variant?.name === null) throw errors.adHocVariantNotSchedulable();
    const rows: RecipientRow[] = [];
    for (const one of wanted) {
      const value = await checked(config, tx, variant, one);
      const row = { content_guid: content.guid, variant_key: keyOf(key), type: one.type, value };
      if (!rows.some((other) => other.type === row.type && other.value === value)) rows.push(row);
    }
    await saveRecipients(tx, content.guid, keyOf(key), rows);
    const who = rows.map(({ type, value }) => `${type} ${value}`).join(', ') || 'nobody';
    const description = `Set who is mailed variant ${variant?.name ?? DEFAULT_KEY} of content ${content.name} (${content.guid}): ${who}`;
    await audit(tx, caller, 'edit_application', description, { content: content.guid });
  }, aboutContent(guid));
}

export interface Sending {
  /** Instead of the recipients of the variant. */
  readonly audience?: Audience;
  /** The rendering that the caller takes for the current one. */
  readonly rendering?: number | undefined;
}

/** Mails the current rendering. Returns the number of mails. @throws ApiError 4, 21, 39, 43, 68 */
export async function sendShown(
  { storage, clock, audit, mailer }: Parts,
  caller: Caller,
  guid: string,
  key: string,
  { audience, rendering: expected }: Sending = {},
): Promise<number> {
  return storage.write(async (tx) => {
    const found = await loadContent(tx, guid, caller, 'manageVariants');
    const { content } = found;
    requireDocument(content);
    if (!mailer) throw errors.emailNotConfigured();
    const variant = key === DEFAULT_KEY ? null : await findToChange(tx, found, caller, key, clock.now());
    const { rendering_id } = variant ?? content;
    const shown = rendering_id === null ? undefined : await findRendering(tx, rendering_id);
    if (!shown) throw errors.variantNotRendered();
    if (expected !== undefined && expected !== shown.id)
      throw errors.notFound({ message: `rendering ${expected} is not the current one` });
    const mail = storedMail(shown.mail);
    const rendering = {
      contentGuid: content.guid,
      variant: keyOf(key),
      renderingId: shown.id,
      mail,
      now: clock.now(),
    };
    const to = audience === undefined ? undefined : await peopleOf(tx, found, caller, audience);
    const mails = await createDeliveries(tx, rendering, { isScheduled: false, to });
    const description = `Mailed a rendering of content ${content.name} (${content.guid}) to ${mails} addresses`;
    await audit(tx, caller, 'render_application', description, { content: content.guid });
    return mails;
  }, aboutContent(guid));
}

/** The owner is a collaborator. */
async function peopleOf(
  tx: Executor,
  { content }: Found,
  caller: Caller,
  audience: Audience,
): Promise<Wanted[]> {
  if (audience === 'me') {
    await ownAddress(tx, caller);
    return [{ type: 'user', value: caller.guid }];
  }
  const rows = await listPermissions(tx, content.guid);
  const granted = rows.filter(({ role }) => audience === 'collaborators_viewers' || role === 'owner');
  return [
    { type: 'user', value: content.owner_guid },
    ...granted.map(({ principal_type: type, principal_guid: value }) => ({ type, value })),
  ];
}

/** The caller's email address. @throws ApiError 44 */
export async function ownAddress(db: Executor, caller: Caller): Promise<string> {
  const email = (await findUser(db, caller.guid))?.email ?? '';
  if (email === '') throw errors.currentUserWithoutEmail();
  return email;
}

/** Normalised for storage. @throws ApiError 4, 9, 22, 25, 93 */
async function checked(
  config: Config,
  tx: Executor,
  variant: VariantRow | null,
  { type, value }: Wanted,
): Promise<string> {
  const kept = value.toLowerCase();
  const isMaker = type === 'user' && kept === variant?.user_guid;
  if (variant?.visibility === 'private' && !isMaker) throw errors.privateVariantRecipients();
  if (type === 'address') {
    if (!ADDRESS.test(kept))
      throw errors.invalidParameter({
        message: `${JSON.stringify(value)} is no address`,
        field: 'recipients',
      });
    if (mayGoOutside(config, kept)) return kept;
    throw errors.operationDenied({
      message:
        'an administrator allows no mail to this address (Mail.AllowedDomains): name a user or a group',
    });
  }
  if (type === 'user' && !(await findUser(tx, kept))) throw errors.userNotFound();
  if (type === 'group' && !(await findGroup(tx, kept)))
    throw errors.notFound({ message: 'there is no such group' });
  return kept;
}

async function nameOf(db: Executor, { type, value }: Wanted): Promise<string> {
  if (type === 'user') return (await findUser(db, value))?.username ?? '';
  return type === 'group' ? ((await findGroup(db, value))?.name ?? '') : value;
}

function keyOf(key: string): string {
  return key === DEFAULT_KEY ? DEFAULT_VARIANT : key;
}
