// OAuth2 with OpenID Connect: the code flow with PKCE, state and nonce.
import { ApiError, errors } from '@pressroom/api/contract';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type Configuration,
} from 'openid-client';
import { boundedFetch } from '../../../platform/bounded-fetch.ts';
import { messageOf } from '../../../platform/errors.ts';
import type { ProviderParts, SignInProvider } from '../provider.ts';
import { requireSettings, secureUrl } from '../required.ts';
import { joinClaims, personIn } from './claims.ts';
import { createInvitations } from './invitations.ts';

/** Seconds per response of the provider. */
const TIMEOUT = 10;
/** Metadata that signing in needs. */
const REQUIRED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;
const MAX_REASON_LENGTH = 500;
const NO_RESPONSE = 'the identity provider is not responding: try again later';
const NOT_USABLE = 'the identity provider does not match the settings of this server: ask an administrator';
/** Of the protocol: what is refused is this server, not the person. */
const ABOUT_CLIENT: ReadonlySet<string | undefined> = new Set([
  'invalid_client',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
]);

export function createOAuth2({ config, storage }: ProviderParts): SignInProvider {
  requireSettings(config, ['OAuth2.Issuer', 'OAuth2.ClientId', 'Server.Address']);
  const issuer = secureUrl(config, 'OAuth2.Issuer', 'http:');
  const redirectUri = `${config['Server.Address']}/__login__/callback`;
  const secret = config['OAuth2.ClientSecret'];
  let known: Promise<Configuration> | null = null;

  async function discover(): Promise<Configuration> {
    const found = await discovery(
      issuer,
      config['OAuth2.ClientId'],
      {},
      secret === '' ? None() : ClientSecretBasic(secret),
      {
        timeout: TIMEOUT,
        [customFetch]: boundedFetch,
        // Requires signed responses, even over trusted connections.
        execute: [
          enableNonRepudiationChecks,
          ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : []),
        ],
      },
    );
    const metadata = found.serverMetadata();
    const missing = REQUIRED.filter((name) => metadata[name] === undefined);
    if (missing.length > 0) throw new Error(`it has no ${missing.join(', ')}`);
    return found;
  }

  /** Fetched once; again after a failure. @throws ApiError 98 */
  async function providerConfiguration(): Promise<Configuration> {
    const own = (known ??= discover());
    try {
      return await own;
    } catch (cause) {
      if (known === own) known = null;
      throw errors.loginFailed({
        message: isOutage(cause) ? NO_RESPONSE : NOT_USABLE,
        cause: new Error(`the metadata of ${issuer.href}: ${aboutMetadata(cause)}`, { cause }),
      });
    }
  }

  return {
    kind: 'oauth2',
    signIn: {
      by: 'redirect',
      async begin() {
        const [verifier, state, nonce] = [randomPKCECodeVerifier(), randomState(), randomNonce()];
        const location = buildAuthorizationUrl(await providerConfiguration(), {
          redirect_uri: redirectUri,
          scope: config['OAuth2.Scopes'],
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          state,
          nonce,
        });
        return { location: location.href, attempt: { verifier, state, nonce } };
      },
      async finish(response, { verifier = '', state, nonce = '' }) {
        const provider = await providerConfiguration();
        try {
          const tokens = await authorizationCodeGrant(
            provider,
            new URL(`${redirectUri}?${response.toString()}`),
            {
              pkceCodeVerifier: verifier,
              expectedState: state,
              expectedNonce: nonce,
              idTokenExpected: true,
            },
          );
          const claims = tokens.claims()!;
          const more =
            provider.serverMetadata().userinfo_endpoint === undefined
              ? {}
              : await fetchUserInfo(provider, tokens.access_token, claims.sub);
          return personIn(joinClaims(claims, more), config);
        } catch (cause) {
          if (cause instanceof ApiError) throw cause;
          throw errors.loginFailed({
            cause: explained(cause),
            ...(isOutage(cause) && { message: NO_RESPONSE }),
            ...(isAboutClient(cause) && { message: NOT_USABLE }),
          });
        }
      },
      async signOutPage() {
        const provider = await providerConfiguration().catch(() => null);
        if (!provider?.serverMetadata().end_session_endpoint) return null;
        return buildEndSessionUrl(provider).href;
      },
    },
    profileFields: ['email', 'first_name', 'last_name'],
    needsUniqueId: false,
    groups: 'kept',
    directory: createInvitations(config, storage),
    async reach() {
      await providerConfiguration();
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Errors of the library. */
interface Failure {
  readonly code?: string;
  readonly error?: string;
  readonly error_description?: string;
  readonly cause?: unknown;
}

/** For the log: the kind of error, and the provider's description. */
function explained(failure: unknown): Error {
  const { error, error_description, cause } = failure as Failure;
  const challenges = Array.isArray(cause) ? JSON.stringify(cause) : undefined;
  const reason = cause instanceof Error ? cause.message : (challenges ?? statusOf(cause));
  const parts = new Set([messageOf(failure), error, error_description, reason].filter(Boolean));
  return new Error([...parts].join(': ').slice(0, MAX_REASON_LENGTH), { cause: failure });
}

function aboutMetadata(failure: unknown): string {
  return (failure as Failure).code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'
    ? 'they name another issuer, which OAuth2.Issuer must be to the character, with or without a slash at the end'
    : explained(failure).message;
}

/** The token endpoint also answers 401 with a challenge. */
function isAboutClient(failure: unknown): boolean {
  const { code, error } = failure as Failure;
  return ABOUT_CLIENT.has(error) || code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE';
}

function isOutage(failure: unknown): boolean {
  const { code, cause } = failure as Failure;
  return failure instanceof TypeError || code === 'OAUTH_TIMEOUT' || (statusOf(cause) ?? 0) >= 500;
}

function statusOf(response: unknown): number | undefined {
  return response instanceof Response ? response.status : undefined;
}
