// For CI pipelines without a stored key: exchanges the CI's token for a key for one content item.
import { createClient } from '@pressroom/api/client';
import { UsageError } from '../exit-codes.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const TIMEOUT_MS = 30_000;

/** Undefined outside a pipeline with tokens. Throws UsageError, and the server's refusal of the token. */
export async function pipelineKey(
  env: Environment,
  url: string,
  guid: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const token = await tokenOfCi(env, url, signal);
  if (token === undefined) return undefined;
  await using client = createClient({ url, env });
  return (await client.exchangeCiToken({ content_guid: guid, token }, { signal })).key;
}

/** GitLab and others put it into a variable; GitHub issues it on request. Its audience is the server. */
async function tokenOfCi(
  env: Environment,
  audience: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const given = env['PRESSROOM_ID_TOKEN'];
  if (given) {
    requireAudience(given, audience);
    return given;
  }
  const [address, permission] = [env['ACTIONS_ID_TOKEN_REQUEST_URL'], env['ACTIONS_ID_TOKEN_REQUEST_TOKEN']];
  if (!address || !permission) return undefined;
  const url = new URL(address);
  url.searchParams.set('audience', audience);
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${permission}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const { value } = (await response.json()) as { value?: unknown };
    if (response.ok && typeof value === 'string') return value;
  } catch (error) {
    signal.throwIfAborted();
    throw new UsageError(`GitHub did not respond with a token: ${String(error)}`, HINT);
  }
  throw new UsageError('GitHub did not respond with a token.', HINT);
}

/**
 * What to do without a key; on a machine of a person, sign in.
 * @param isKnown whether the content is known, for which a pipeline gets a key
 */
export function missingKeyHint(env: Environment, url: string, isKnown: boolean): string {
  if (env['CONNECT_API_KEY'])
    return env['CONNECT_SERVER']
      ? 'CONNECT_API_KEY was not sent: it belongs to the server in CONNECT_SERVER.'
      : `CONNECT_API_KEY was not sent: if it is for that server, set CONNECT_SERVER=${url}, too.`;
  if (!env['CI'] && !env['GITHUB_ACTIONS'] && !env['GITLAB_CI'] && !env['TF_BUILD'])
    return `Run: pressroom login ${url}`;
  const hasToken = env['PRESSROOM_ID_TOKEN'] || env['ACTIONS_ID_TOKEN_REQUEST_URL'];
  if (hasToken && !isKnown)
    return 'The token of a pipeline is for one content item: commit .pressroom/, name its GUID, or set CONNECT_API_KEY.';
  if (env['GITHUB_ACTIONS']) return HINT;
  if (env['GITLAB_CI']) return 'Name the token PRESSROOM_ID_TOKEN in id_tokens, or set CONNECT_API_KEY.';
  return 'Set CONNECT_API_KEY from the secrets of the pipeline.';
}

const HINT = 'Give the job the permission id-token: write, or set CONNECT_API_KEY.';

/** Another server could replay it elsewhere: for example one named only by a deployment record. */
function requireAudience(token: string, audience: string): void {
  let meant: unknown[];
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      aud?: unknown;
    };
    meant = [claims.aud].flat();
  } catch {
    throw new UsageError(
      'PRESSROOM_ID_TOKEN is not a token of a CI.',
      'It is set by id_tokens in .gitlab-ci.yml.',
    );
  }
  if (meant.some((address) => typeof address === 'string' && address.replace(/\/+$/, '') === audience))
    return;
  throw new UsageError(
    `PRESSROOM_ID_TOKEN is for ${meant.join(', ')}, not for ${audience}. It was not sent.`,
    `Set its audience (aud) to ${audience}.`,
  );
}
