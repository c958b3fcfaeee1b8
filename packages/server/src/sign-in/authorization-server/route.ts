// OAuth 2.0 for the sign-in of clients by others (ADR 32): metadata (RFC 8414), registration (RFC 7591), device
// authorization (RFC 8628) and tokens. A token is an API key of the person, sent as `Bearer`.
import { type ApiError, DEVICE_ERRORS, errors } from '@pressroom/api/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Audit } from '../../audit/record.ts';
import type { BaseUrl } from '../../http/base-url.ts';
import { toApiError } from '../../http/error-handler.ts';
import { DASHBOARD_PREFIX } from '../../http/paths.ts';
import { readForm } from '../../http/read-form.ts';
import { readText } from '../../http/read-text.ts';
import { isCrossOrigin } from '../../http/request-forgery.ts';
import type { Clock, Ids } from '../../platform/clock.ts';
import type { Storage } from '../../platform/database/storage.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { beginDeviceSignIn, pollDeviceSignIn } from '../device/commands.ts';
import { presentDeviceCode, shownName } from '../device/present.ts';
import { isLoopback } from './asked.ts';
import { redeemCode } from './commands.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: Audit;
  readonly secrets: Secrets;
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const GRANTS = ['authorization_code', DEVICE_GRANT];
const PATH = '/__login__/oauth';

type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<object>;

export function mountAuthorizationServer(app: FastifyInstance, parts: Parts, base: BaseUrl): void {
  app.get('/.well-known/oauth-authorization-server', (request) => {
    const own = base.of(request.raw);
    return {
      issuer: own,
      authorization_endpoint: `${own}${DASHBOARD_PREFIX}/authorize`,
      token_endpoint: `${own}${PATH}/token`,
      device_authorization_endpoint: `${own}${PATH}/device`,
      registration_endpoint: `${own}${PATH}/register`,
      response_types_supported: ['code'],
      grant_types_supported: GRANTS,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    };
  });

  /** Errors are those of RFC 6749, 5.2. */
  function post(path: string, answer: Answer): void {
    app.post(PATH + path, async (request, reply) => {
      try {
        if (isCrossOrigin(request.headers, new URL(base.of(request.raw)).origin))
          throw errors.xsrfTokenMismatch();
        reply.header('Cache-Control', 'no-store');
        return await answer(request, reply);
      } catch (thrown) {
        const error = toApiError(thrown);
        if (error.status !== 400) throw thrown;
        return reply.code(400).send({ error: wordFor(error), error_description: error.message });
      }
    });
  }

  // Nothing is stored: a program is known by what it calls itself.
  post('/register', async (request, reply) => {
    const { client_name, redirect_uris } = registrationIn(await readText(request.raw));
    reply.code(201);
    return {
      client_id: client_name,
      client_name,
      redirect_uris,
      token_endpoint_auth_method: 'none',
      grant_types: GRANTS,
      response_types: ['code'],
    };
  });

  post('/device', async (request) => {
    const name = (await readForm(request.raw)).get('client_id') ?? '';
    const begun = await beginDeviceSignIn(parts, name, base.visitor(request.raw));
    return presentDeviceCode(begun, base.of(request.raw));
  });

  post('/token', async (request) => {
    const form = await readForm(request.raw);
    const of = (name: string) => form.get(name) ?? '';
    const { key } = await redeem(of('grant_type'), of);
    return { access_token: key, token_type: 'Bearer' };
  });

  async function redeem(grant: string, of: (name: string) => string) {
    if (grant === DEVICE_GRANT) return pollDeviceSignIn(parts, of('device_code'), 'token');
    if (grant !== 'authorization_code') throw errors.invalidParameter({ message: 'unsupported_grant_type' });
    const sent = { code: of('code'), redirectUri: of('redirect_uri'), verifier: of('code_verifier') };
    try {
      return await redeemCode(parts, sent);
    } catch (error) {
      // The words for devices are not for codes.
      if (wordFor(toApiError(error)) === 'invalid_request') throw error;
      throw errors.invalidParameter({ message: 'invalid_grant' });
    }
  }
}

const WORDS: ReadonlySet<string> = new Set([
  ...DEVICE_ERRORS,
  'invalid_grant',
  'unsupported_grant_type',
  'invalid_redirect_uri',
  'invalid_client_metadata',
]);

function wordFor({ message }: ApiError): string {
  return WORDS.has(message) ? message : 'invalid_request';
}

/** @throws ApiError 25 with an error code of RFC 7591 */
function registrationIn(text: string): { client_name: string; redirect_uris: string[] } {
  const refused = (message: string) => errors.invalidParameter({ message });
  let sent: { client_name?: unknown; redirect_uris?: unknown };
  try {
    sent = Object(JSON.parse(text));
  } catch {
    throw refused('invalid_client_metadata');
  }
  const { client_name, redirect_uris = [] } = sent;
  const name = typeof client_name === 'string' ? shownName(client_name) : '';
  if (name === '') throw refused('invalid_client_metadata');
  const uris: unknown[] = Array.isArray(redirect_uris) ? redirect_uris : [null];
  if (!uris.every((uri) => typeof uri === 'string' && isLoopback(uri))) throw refused('invalid_redirect_uri');
  return { client_name: name, redirect_uris: uris as string[] };
}
