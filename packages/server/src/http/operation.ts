// Runs one operation of the contract for any caller: provider gate, access, validation, handler.
import type { IncomingMessage } from 'node:http';
import { type Access, ApiError, type Endpoint, errors, type ServerRole } from '@pressroom/api/contract';
import type { SecurityEvents } from '../audit/security-events.ts';
import { requireContentKeyRight, requireVisitorKeyRight, withinKey } from '../content/content-key-rights.ts';
import type { Config } from '../main/config/settings.ts';
import { requireFirstUser } from '../people/commands.ts';
import { limitedKey } from '../people/limited-key.ts';
import { ROLE_RANK } from '../people/roles.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { requireProgram } from '../sign-in/first-user-guard.ts';
import type { QueryValues } from './query-string.ts';
import { createValidator } from './validation.ts';

export interface OperationInput {
  readonly caller: Caller | null;
  readonly params: unknown;
  readonly query: QueryValues;
  /** The JSON text of the body; read only if the operation has one. */
  readonly readBody: () => Promise<string> | string;
  /** Reads and discards the body of an operation without one. */
  readonly passOverBody: () => Promise<void> | void;
  readonly base: string;
  readonly url: string;
  readonly visitor: string;
  readonly raw: IncomingMessage;
  readonly setHeader: (name: string, value: string) => void;
  readonly signal: AbortSignal;
  /** Authenticates the request again. @throws ApiError as the first time */
  readonly again: () => Promise<Caller | null>;
}

export type Operation = (input: OperationInput) => Promise<unknown>;

export interface OperationParts {
  readonly config: Config;
  readonly storage: Storage;
  readonly events: SecurityEvents;
}

/** A handler bound to its dependencies. */
export type BoundHandler = (request: unknown) => unknown;

export function createOperation(
  parts: OperationParts,
  operation: Endpoint,
  handler: BoundHandler,
): Operation {
  const { config, storage } = parts;
  const validator = createValidator(operation);
  const { providers, access, body } = operation;
  const offered = !providers || providers.only.includes(config['Authentication.Provider']);
  const run: Operation = async (input) => {
    const { base, url, visitor, raw, setHeader } = input;
    // Handlers read archives and files themselves.
    const isRead = raw.complete || typeof body === 'string';
    const caller = withinKey(input.caller);
    if (access === 'first-user' && !caller) {
      await requireFirstUser(parts, storage.db);
      requireProgram(config, { raw, base, visitor });
    } else requireAccess(access, caller);
    requireContentKeyRight(operation, caller, input.params);
    requireVisitorKeyRight(operation, caller);
    if (providers && !offered) throw new ApiError(providers.otherwise);
    if (body === undefined) await input.passOverBody();
    const params = validator.params(input.params);
    const query = validator.query(input.query);
    const text = typeof body === 'object' ? await input.readBody() : null;
    const again = async () => {
      const now = withinKey(await input.again());
      requireAccess(access, now);
      requireContentKeyRight(operation, now, input.params);
      requireVisitorKeyRight(operation, now);
      return now;
    };
    return handler({
      // Whoever sends the body slowly must not outlast the right to send it.
      caller: caller === null || isRead ? caller : await again(),
      params,
      query,
      body: text === null ? undefined : validator.body(text),
      base,
      url,
      visitor,
      raw,
      setHeader,
      get signal() {
        return input.signal;
      },
      again,
    });
  };
  return async (input) => {
    try {
      return await run(input);
    } catch (error) {
      await noteRefusal(parts, operation, input, error);
      throw error;
    }
  };
}

/** Refusals are logged in the audit log, at intervals if they repeat. */
async function noteRefusal(
  { events }: OperationParts,
  { operationId }: Endpoint,
  { caller, visitor }: OperationInput,
  error: unknown,
): Promise<void> {
  if (!(error instanceof ApiError) || error.status !== 403 || !caller) return;
  const description = `Refused ${operationId} (code ${error.code}), asked from ${visitor}`;
  // Recorded before the response, so that readers of the log find it.
  await events.record({ actor: caller, action: 'refuse', description, each: 1 });
}

/** @throws ApiError 24 without an account, 22 if the role is too low. */
function requireAccess(access: Access, caller: Caller | null): void {
  if (access === 'anyone') return;
  if (!caller) throw errors.authenticationRequired();
  const least: ServerRole = access === 'user' ? 'viewer' : access === 'first-user' ? 'administrator' : access;
  if (ROLE_RANK[caller.role] < ROLE_RANK[least]) throw errors.operationDenied(limitedKey(caller, least));
}
