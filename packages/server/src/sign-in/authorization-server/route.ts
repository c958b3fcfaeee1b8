// OAuth 2.0 for the sign-in of clients by others (ADR 32): metadata (RFC 8414), registration (RFC 7591), device
// authorization (RFC 8628), tokens, and their exchange for those of a CI (RFC 8693). A token is an API key of the person, sent as `Bearer`.
import { DEVICE_ERRORS, errors, TOKEN_EXCHANGE } from '@pressroom/api/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BaseUrl } from '../../http/base-url.ts';
import { toApiError } from '../../http/error-handler.ts';
import { DASHBOARD_PREFIX } from '../../http/paths.ts';
import { readForm } from '../../http/read-form.ts';
import { readText } from '../../http/read-text.ts';
import { isCrossOrigin } from '../../http/request-forgery.ts';
import { beginDeviceSignIn, pollDeviceSignIn } from '../device/commands.ts';
import { presentDeviceCode, shownName } from '../device/present.ts';
import { exchangeToken } from '../trusted-publishers/commands.ts';
import type { CiTokens } from '../trusted-publishers/verify-token.ts';
import { isLoopback } from './asked.ts';
import { redeemCode, type Parts as CommandParts } from './commands.ts';

interface Parts extends CommandParts {
  readonly ciTokens: CiTokens;
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const GRANTS = ['authorization_code', DEVICE_GRANT, TOKEN_EXCHANGE];
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
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
        const error = asOAuthError(thrown);
        if (error === null) throw thrown;
        return reply.code(400).send({ error: error.word, error_description: error.message });
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
    const token = (access_token: string) => ({ access_token, token_type: 'Bearer' });
    switch (of('grant_type')) {
      case DEVICE_GRANT:
        return token((await pollDeviceSignIn(parts, of('device_code'), 'token')).key);
      case 'authorization_code': {
        const sent = { code: of('code'), redirectUri: of('redirect_uri'), verifier: of('code_verifier') };
        return token((await grantedBy(redeemCode(parts, sent))).key);
      }
      case TOKEN_EXCHANGE: {
        const { key, expires } = await grantedBy(exchangeToken(parts, null, of('subject_token'), 'token'));
        const expires_in = Math.floor((expires - parts.clock.now()) / 1_000_000);
        return { ...token(key), issued_token_type: ACCESS_TOKEN, expires_in };
      }
      default:
        throw new OAuthError('unsupported_grant_type');
    }
  });
}

/** An error code of OAuth 2.0, and what it is about. */
class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly word: string;
  constructor(word: string, description = word) {
    super(description);
    this.word = word;
  }
}

/** What a code or a token is refused for. Clients look for some words: `ambiguous`, `verif`. */
async function grantedBy<T>(granted: Promise<T>): Promise<T> {
  try {
    return await granted;
  } catch (thrown) {
    const error = toApiError(thrown);
    if (![22, 24, 25].includes(error.code)) throw thrown;
    const why = error.code === 24 ? `The token cannot be verified: ${error.message}` : error.message;
    throw new OAuthError('invalid_grant', why);
  }
}

/** As RFC 6749, 5.2, has it; null for an error that is none of the client. */
function asOAuthError(thrown: unknown): OAuthError | null {
  if (thrown instanceof OAuthError) return thrown;
  const { status, message } = toApiError(thrown);
  if (status !== 400) return null;
  const isWord = (DEVICE_ERRORS as readonly string[]).includes(message);
  return new OAuthError(isWord ? message : 'invalid_request', message);
}

/** @throws OAuthError of RFC 7591 */
function registrationIn(text: string): { client_name: string; redirect_uris: string[] } {
  let sent: { client_name?: unknown; redirect_uris?: unknown };
  try {
    sent = Object(JSON.parse(text));
  } catch {
    throw new OAuthError('invalid_client_metadata');
  }
  const { client_name, redirect_uris = [] } = sent;
  const name = typeof client_name === 'string' ? shownName(client_name) : '';
  if (name === '') throw new OAuthError('invalid_client_metadata');
  const uris: unknown[] = Array.isArray(redirect_uris) ? redirect_uris : [null];
  if (!uris.every((uri) => typeof uri === 'string' && isLoopback(uri)))
    throw new OAuthError('invalid_redirect_uri');
  return { client_name: name, redirect_uris: uris as string[] };
}
