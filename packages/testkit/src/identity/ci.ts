// A CI that signs OpenID Connect tokens for its pipelines: keys at the usual addresses, and GitHub's way to request
// tokens.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export interface TestCi extends AsyncDisposable {
  readonly issuer: string;
  /** A token for an audience; `claims` override those of a push to `main` of `acme/reports`. */
  token(audience: string, claims?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Signed by a key that the issuer does not have. */
  forged(audience: string): Promise<string>;
  /** Variables that GitHub sets for a job with token permission. */
  env(claims?: Readonly<Record<string, unknown>>): Record<string, string>;
}

const PUSH = {
  repository: 'acme/reports',
  repository_id: '74',
  ref: 'refs/heads/main',
  ref_type: 'branch',
  run_id: '123',
};
const PERMISSION = 'may ask for tokens';

export async function startCi(): Promise<TestCi> {
  const [own, other] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  let tokens = 0;

  const sign = (key: typeof own.privateKey, audience: string, claims: Readonly<Record<string, unknown>>) =>
    new SignJWT({ ...PUSH, jti: `token ${(tokens += 1)}`, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt(typeof claims['iat'] === 'number' ? claims['iat'] : undefined)
      .setExpirationTime(typeof claims['exp'] === 'number' ? claims['exp'] : '5m')
      .sign(key);

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer);
    const send = (body: object) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    if (pathname === '/.well-known/openid-configuration') return send({ issuer, jwks_uri: `${issuer}/keys` });
    if (pathname === '/keys') return send({ keys: [jwk] });
    if (request.headers.authorization !== `Bearer ${PERMISSION}`) return response.writeHead(401).end();
    const claims = JSON.parse(searchParams.get('claims') ?? '{}') as Record<string, unknown>;
    void sign(own.privateKey, searchParams.get('audience') ?? '', claims).then((value) => send({ value }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    issuer,
    token: (audience, claims = {}) => sign(own.privateKey, audience, claims),
    forged: (audience) => sign(other.privateKey, audience, {}),
    env: (claims = {}) => ({
      ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer}/token?claims=${encodeURIComponent(JSON.stringify(claims))}`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: PERMISSION,
    }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
