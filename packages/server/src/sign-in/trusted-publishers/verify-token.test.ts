// Covers issuers that publish their identity but not their signing keys.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateKeyPair, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { loadConfig } from '../../main/config/load-config.ts';
import { createCiTokens } from './verify-token.ts';

const HERE = 'https://pressroom.example.com';
const clock = { now: () => Date.now() * 1000 };

test.each<readonly [string, RequestListener]>([
  ['return 503', (_request, response) => void response.writeHead(503).end('{"keys":[]}')],
  ['are not JSON', (_request, response) => void response.end('<title>Maintenance</title>')],
  ['are cut off', ({ socket }) => void socket.destroy()],
])('blames the issuer and not the token when its keys %s', async (_what, keys) => {
  const server = createServer((request, response) => {
    if (request.url === '/keys') return keys(request, response);
    response.setHeader('Content-Type', 'application/json');
    return response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const config = loadConfig({}, { 'CI.Issuers': issuer, 'Server.Address': HERE });
    const { privateKey } = await generateKeyPair('RS256');
    const signed = new SignJWT({}).setProtectedHeader({ alg: 'RS256', kid: 'one' }).setIssuer(issuer);
    const token = await signed.setAudience(HERE).setIssuedAt().setExpirationTime('5m').sign(privateKey);
    await expect(createCiTokens(config, clock).read(token)).rejects.toMatchObject({
      code: 1,
      message: expect.stringMatching(/does not respond/),
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
