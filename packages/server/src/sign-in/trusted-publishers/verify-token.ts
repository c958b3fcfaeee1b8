// Verifies CI tokens (OpenID Connect): issuer, audience, expiry, and claims about the pipeline.
import { hash } from 'node:crypto';
import { errors } from '@pressroom/api/contract';
import {
  createRemoteJWKSet,
  customFetch as keyFetch,
  decodeJwt,
  errors as joseErrors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import { allowInsecureRequests, customFetch, discovery, None } from 'openid-client';
import { listOf } from '../../main/config/setting-kinds.ts';
import type { Config } from '../../main/config/settings.ts';
import { boundedFetch } from '../../platform/bounded-fetch.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Micros } from '../../platform/database/schema.ts';

/** Claims of a token about its run. */
export interface Pipeline {
  readonly issuer: string;
  /** `owner/name`, in lower case. */
  readonly repository: string;
  readonly repositoryId: string;
  /** Null for tags and pull requests. */
  readonly branch: string | null;
  readonly environment: string | null;
  /** For display: repository, reference and run. */
  readonly name: string;
  /** Identifies the token, in whatever encoding. */
  readonly tokenHash: string;
  readonly expires: Micros;
}

export interface CiTokens {
  /** Accepted issuers. */
  readonly issuers: readonly string[];
  /**
   * @throws ApiError 24 for a token that is invalid, for another server or expired; 1 if its issuer does not respond
   */
  read(token: string): Promise<Pipeline>;
}

const WELL_KNOWN = ['https://token.actions.githubusercontent.com', 'https://gitlab.com'];
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA'];
const TIMEOUT_MS = 10_000;
/** Seconds of clock tolerance. */
const TOLERANCE = 30;
const MAX_NAME_LENGTH = 200;
/** Placeholder: only keys are fetched, no client signs in. */
const UNUSED_CLIENT = 'pressroom';

/** Issuers accepted by the settings. */
export function issuersOf(config: Config): readonly string[] {
  const setting = config['CI.Issuers'];
  return setting === 'none' ? [] : setting === '' ? WELL_KNOWN : listOf(setting);
}

export function createCiTokens(config: Config, clock: Clock): CiTokens {
  const issuers = issuersOf(config);
  const audience = config['Server.Address'];
  const keys = new Map<string, Promise<JWTVerifyGetKey>>();

  /** Fetched once; again after a failure. */
  async function keysOf(issuer: string) {
    const known = keys.get(issuer) ?? discoverKeys(issuer);
    keys.set(issuer, known);
    try {
      return await known;
    } catch (cause) {
      keys.delete(issuer);
      throw unreachable(issuer, cause);
    }
  }

  async function verify(token: string, issuer: string): Promise<JWTPayload> {
    const options = { issuer, audience: [audience, `${audience}/`], algorithms: ALGORITHMS };
    const time = { currentDate: new Date(clock.now() / 1000), clockTolerance: TOLERANCE };
    try {
      const { payload } = await jwtVerify(token, await keysOf(issuer), {
        ...options,
        ...time,
        requiredClaims: ['exp', 'iat'],
      });
      return payload;
    } catch (cause) {
      if (!(cause instanceof joseErrors.JOSEError)) throw cause;
      if (cause instanceof joseErrors.JWTExpired) throw refused('it has expired', cause);
      const isOther = cause instanceof joseErrors.JWTClaimValidationFailed && cause.claim === 'aud';
      throw refused(isOther ? `its audience is not ${audience}` : 'it is not valid', cause);
    }
  }

  return {
    issuers,
    async read(token) {
      // Without the setting, the audience would come from the request's host.
      if (audience === '') throw refused('the server needs the setting Server.Address for that');
      const issuer = issuerOf(token);
      if (issuer === null || !issuers.includes(issuer)) throw refused('its issuer is not in CI.Issuers');
      return pipelineIn(await verify(token, issuer), issuer, token);
    },
  };
}

async function discoverKeys(address: string): Promise<JWTVerifyGetKey> {
  const issuer = new URL(address);
  const found = await discovery(issuer, UNUSED_CLIENT, {}, None(), {
    timeout: TIMEOUT_MS / 1000,
    [customFetch]: boundedFetch,
    execute: issuer.protocol === 'http:' ? [allowInsecureRequests] : [],
  });
  const keys = new URL(found.serverMetadata().jwks_uri ?? '');
  if (keys.protocol !== 'https:' && keys.origin !== issuer.origin)
    throw new Error('its keys are not at an https address');
  const keyOf = createRemoteJWKSet(keys, { timeoutDuration: TIMEOUT_MS, [keyFetch]: boundedFetch });
  return (header, token) =>
    keyOf(header, token).catch((cause: unknown) => {
      throw isAboutToken(cause) ? cause : unreachable(address, cause);
    });
}

/** Other errors mean that the keys could not be fetched. */
function isAboutToken(error: unknown): boolean {
  const { JOSEError, JWKSTimeout } = joseErrors;
  return error instanceof JOSEError && !(error instanceof JWKSTimeout) && error.code !== JOSEError.code;
}

function issuerOf(token: string): string | null {
  try {
    return decodeJwt(token).iss ?? null;
  } catch {
    return null;
  }
}

/** Reads the claims, which GitHub and GitLab name differently. @throws ApiError 24 */
function pipelineIn(claims: JWTPayload, issuer: string, token: string): Pipeline {
  const text = (...names: readonly string[]) =>
    names.map((name) => claims[name]).find((value) => typeof value === 'string' && value !== '') as
      | string
      | undefined;
  const repository = text('repository', 'project_path');
  const repositoryId = text('repository_id', 'project_id');
  const reference = text('ref_path') ?? text('ref');
  if (repository === undefined || repositoryId === undefined || reference === undefined)
    throw refused('it names no repository and reference');
  const run = text('run_id', 'pipeline_id');
  const name = `${repository} at ${reference}${run === undefined ? '' : `, run ${run}`}`;
  // The same signature has several encodings; the issuer's id does not.
  const id = claims.jti ?? token.slice(0, token.lastIndexOf('.'));
  return {
    issuer,
    repository: repository.toLowerCase(),
    repositoryId,
    branch: isOfProposal(text('event_name', 'pipeline_source'), text('ref_protected'))
      ? null
      : branchOf(reference, text('ref_type')),
    environment: text('environment') ?? null,
    name: [...name]
      .slice(0, MAX_NAME_LENGTH)
      .join('')
      .replaceAll(/\p{Cc}/gu, ' '),
    tokenHash: hash('sha256', `${issuer} ${id}`, 'hex'),
    expires: (claims.exp ?? 0) * 1_000_000 + 2 * TOLERANCE * 1_000_000,
  };
}

/**
 * A run for a pull or merge request. Its reference may look like a branch of the repository: the target branch
 * (`pull_request_target`), or one of a fork with the same name. A child pipeline of GitLab names the source branch of its
 * merge request, too, but not that it is for one: only a protected reference is certainly that branch.
 */
function isOfProposal(trigger: string | undefined, isProtected: string | undefined): boolean {
  if (trigger === 'parent_pipeline') return isProtected !== 'true';
  return /^(?:pull_request|(?:external_pull|merge)_request)/.test(trigger ?? '');
}

/** `refs/heads/main`, or with older GitLab versions `main` and a separate type. */
function branchOf(reference: string, type: string | undefined): string | null {
  if (reference.startsWith('refs/'))
    return reference.startsWith('refs/heads/') ? reference.slice('refs/heads/'.length) : null;
  return type === 'branch' ? reference : null;
}

const refused = (why: string, cause?: unknown) =>
  errors.authenticationRequired({ message: `the token of the CI is refused: ${why}`, cause });

const unreachable = (issuer: string, cause: unknown) =>
  errors.internal({ message: `the issuer ${issuer} does not respond: try again later`, cause });
