// An OpenID Connect provider in this process (the package oidc-provider), which signs in whoever the test says.
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider, type Configuration, type JWK } from 'oidc-provider';
import { KNOWN_PEOPLE, type KnownPerson } from './people.ts';

export interface TestOidc extends AsyncDisposable {
  readonly issuer: string;
  readonly clientSecret: string;
  /** Who signs in next; null for nobody: the visitor turns back. */
  visitor: string | null;
  /** Claims that override those of a known person. */
  readonly claims: Record<string, Record<string, unknown>>;
  /** Authorization requests so far. */
  readonly requests: URLSearchParams[];
}

export const OIDC_CLIENT = 'pressroom';

export async function startOidc(redirectUri: string): Promise<TestOidc> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clientSecret = 'secret of the client';
  const state: Pick<TestOidc, 'visitor' | 'claims' | 'requests'> = {
    visitor: null,
    claims: {},
    requests: [],
  };
  const provider = new Provider(issuer, configuration(state, redirectUri, clientSecret));
  const handle = provider.callback();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url!, issuer);
    if (url.pathname === '/auth') state.requests.push(url.searchParams);
    if (!url.pathname.startsWith('/interaction/')) return void handle(request, response);
    const result =
      state.visitor === null
        ? { error: 'access_denied', error_description: 'the visitor turned back' }
        : { login: { accountId: state.visitor } };
    provider.interactionFinished(request, response, result).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  return Object.assign(state, {
    issuer,
    clientSecret,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

function configuration(
  state: Pick<TestOidc, 'claims'>,
  redirectUri: string,
  clientSecret: string,
): Configuration {
  return {
    clients: [{ client_id: OIDC_CLIENT, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username', 'given_name', 'family_name'],
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    // A key per provider; the default ones are fixed.
    jwks: { keys: [signingKey()] },
    ttl: { Session: 1, Interaction: 60, Grant: 60, AccessToken: 60, IdToken: 60 },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, ...claimsOf(id), ...state.claims[id] }),
    }),
    // No consent page.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        accountId: oidc.session!.accountId!,
        clientId: oidc.client!.clientId,
      });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  };
}

function signingKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', kid: 'test' } as JWK;
}

function claimsOf(id: string) {
  const person = (KNOWN_PEOPLE as Record<string, KnownPerson>)[id.replace(/^id-/, '')];
  return {
    preferred_username: person?.username,
    email: person?.email,
    email_verified: true,
    given_name: person?.first_name,
    family_name: person?.last_name,
  };
}
