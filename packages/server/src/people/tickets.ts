// Tickets of remote searches: encrypted (they contain e-mail addresses), short-lived, for one kind of subject
// (contract, 4.4 and 4.8).
import { errors } from '@pressroom/api/contract';
import type { Clock } from '../platform/clock.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import type { RemoteGroup, RemotePerson } from './directory.ts';

interface Parts {
  readonly clock: Clock;
  readonly secrets: Secrets;
}

interface Subjects {
  user: RemotePerson;
  group: RemoteGroup;
}

interface Ticket<K extends keyof Subjects> {
  readonly subject: Subjects[K];
  readonly expires: number;
}

/** An hour. */
const LIFETIME = 3_600_000_000;

export function makeTicket<K extends keyof Subjects>(
  { secrets, clock }: Parts,
  kind: K,
  found: Subjects[K],
): string {
  const { unique_id } = found;
  const subject =
    'username' in found
      ? {
          unique_id,
          username: found.username,
          email: found.email,
          first_name: found.first_name,
          last_name: found.last_name,
        }
      : { unique_id, name: (found as RemoteGroup).name };
  const ticket: Ticket<K> = { subject: subject as Subjects[K], expires: clock.now() + LIFETIME };
  return secrets.encrypt(JSON.stringify(ticket), `ticket-${kind}`);
}

/** @throws ApiError 127 */
export function readTicket<K extends keyof Subjects>(
  { secrets, clock }: Parts,
  kind: K,
  ticket: string,
): Subjects[K] {
  const { subject, expires } = open<K>(secrets, kind, ticket);
  if (expires <= clock.now())
    throw errors.invalidTicket({ message: 'this temp_ticket has expired: search again' });
  return subject;
}

function open<K extends keyof Subjects>(secrets: Secrets, kind: K, ticket: string): Ticket<K> {
  try {
    return secrets.decryptJson<Ticket<K>>(ticket, `ticket-${kind}`);
  } catch (cause) {
    throw errors.invalidTicket({ cause });
  }
}

/**
 * Exact matches first, then by length of the shortest name with the prefix, then by `order`.
 * @param names compared with the prefix.
 */
export function nearestFirst<T>(
  items: readonly T[],
  prefix: string,
  names: (item: T) => string[],
  order: (item: T) => string[],
): T[] {
  const start = prefix.toLowerCase();
  const ranked = items.map((item) => {
    const fitting = names(item).filter((name) => name.toLowerCase().startsWith(start));
    // Compared by bytes, as both databases do; earlier parts take precedence.
    const place = Buffer.from(order(item).join('\0').toLowerCase());
    return { item, distance: Math.min(...fitting.map((name) => [...name].length)), place };
  });
  return ranked
    .sort((a, b) => (a.distance === b.distance ? Buffer.compare(a.place, b.place) : a.distance - b.distance))
    .map(({ item }) => item);
}
