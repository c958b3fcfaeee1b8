// Requirements on PostgreSQL, with remedies.
import { errnoOf, messageOf } from '../../errors.ts';
import { MIGRATIONS } from '../migrations.ts';
import type { DatabaseServerState } from './inspect.ts';

export interface Problem {
  readonly message: string;
  /** What to do. */
  readonly remedy: string;
}

/** Connections per server: those for requests, and the listening one. */
export const CONNECTIONS = { requests: 10, all: 11 } as const;

/** The oldest release that it is developed for. */
const OLDEST = 13;

const SSL_FILE = '?sslmode=verify-full&sslrootcert=/etc/ssl/ca.pem';
const ELSE =
  'Check that it runs, that Database.URL is right, and that this machine may connect (pg_hba.conf).';
/** By error code and message. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /^28P01/,
    'Check user and password. Special characters in Database.URL are percent-encoded: @ is %40, / is %2F.',
  ],
  [/^3D000/, "Create it: create database … owner … encoding 'UTF8'."],
  [/^ENOENT .*\bopen\b/, 'Correct sslrootcert, sslcert or sslkey in Database.URL.'],
  [/^\S*(?:UNABLE_TO|SELF_SIGNED)/, `Name the certificate of its authority in Database.URL: ${SSL_FILE}.`],
  [/^CERT_HAS_EXPIRED/, 'Renew the certificate of PostgreSQL; check that its renewal runs by itself.'],
  [/^ERR_TLS_CERT_ALTNAME/, 'Use a host name in Database.URL that its certificate is for.'],
  [/does not support SSL/, 'Set ssl = on in PostgreSQL, or leave out sslmode on a network that you trust.'],
  [/^53300/, `Raise max_connections, or the limit of the account: each server uses ${CONNECTIONS.all}.`],
];

export const NO_SESSIONS: Problem = {
  message: 'a pooler hands out its connections by transaction, so that what other servers announce is lost',
  remedy: 'Use its session mode (PgBouncer: pool_mode = session), or the address of PostgreSQL itself.',
};

/** Why a server cannot use it; null if it can. */
export function problemOf(state: DatabaseServerState): Problem | null {
  const { encoding, user, schema } = state;
  if (state.release < OLDEST)
    return { message: `version ${state.version} is too old`, remedy: `Use PostgreSQL ${OLDEST} or newer.` };
  if (!state.hasSessions) return NO_SESSIONS;
  if (state.isReadOnly)
    return {
      message: 'it is read-only',
      remedy: 'Use the address of the primary server, and an account that may write.',
    };
  if (encoding !== 'UTF8')
    return { message: `the encoding is ${encoding}`, remedy: "Make the database with encoding 'UTF8'." };
  if (schema === null)
    return {
      message: `the search_path of ${user} names no schema that it may use`,
      remedy: `Make one: create schema pressroom authorization "${user}"; alter role "${user}" set search_path = pressroom.`,
    };
  if (!state.mayCreate && state.steps < MIGRATIONS.length)
    return {
      message: `${user} may not create tables in the schema ${schema}`,
      remedy: `Allow it: grant create on schema "${schema}" to "${user}".`,
    };
  return null;
}

/** Why it cannot be connected to. */
export function problemOfFailure(error: unknown): Problem {
  const message = messageOf(error);
  const text = `${errnoOf(error)} ${message}`;
  return { message, remedy: REMEDIES.find(([failure]) => failure.test(text))?.[1] ?? ELSE };
}
