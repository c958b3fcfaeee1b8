// Covers the token protocol of current servers, with a double that checks each signature.
import { createPublicKey, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { nodeConnection } from '@pressroom/api/client';
import { expect, test } from 'vitest';
import { claimToken } from './claim-token.ts';

const GUID = '40d1c1dc-d554-4905-99f1-359517e1a7c0';

/**
 * Starts a server where a token is claimed once its page was opened and it was polled twice.
 * @param faults of the first polls: statuses, or null to drop the connection
 */
async function startDouble(offers: 'tokens' | 'nothing' | 'too much', faults: (number | null)[] = []) {
  const seen: string[] = [];
  let registered: { token: string; public_key: string } | undefined;
  let opened = false;
  let looks = 0;
  const isSigned = (method: string, url: string, headers: IncomingHttpHeaders) => {
    if (registered === undefined || headers['x-auth-token'] !== registered.token) return false;
    const key = createPublicKey({
      key: Buffer.from(registered.public_key, 'base64'),
      format: 'der',
      type: 'spki',
    });
    const signed = [method, url, headers.date, headers['x-content-checksum']].join('\n');
    return verify(
      'sha1',
      Buffer.from(signed),
      key,
      Buffer.from(String(headers['x-auth-signature']), 'base64'),
    );
  };
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    seen.push(`${method} ${url}`);
    const body = await text(request);
    const respond = (status: number, value: unknown) => response.writeHead(status).end(JSON.stringify(value));
    if (offers === 'nothing') return respond(404, { error: 'Not found' });
    if (offers === 'too much')
      return respond(200, { token_claim_url: `${address}/claim`, more: ' '.repeat(2 ** 20) });
    if (url === '/connect/__api__/tokens') {
      registered = JSON.parse(body);
      return respond(200, { token_claim_url: `${address}/connect/#/claim/${registered?.token}` });
    }
    const fault = faults.shift();
    if (fault === null) return response.destroy();
    if (fault !== undefined) return response.writeHead(fault).end('<html>');
    if (!isSigned(method, url, headers)) return respond(401, { code: 30, error: 'no such token' });
    looks += 1;
    if (!opened || looks < 2) return respond(401, { code: 30, error: 'not claimed' });
    if (method === 'GET') return respond(200, { guid: GUID, username: 'bob' });
    return respond(200, { id: 7, key: `key-of-${(JSON.parse(body) as { name: string }).name}` });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = nodeConnection({
    url: address,
    timeouts: { connect: 4000, headers: 4000 },
    env: {},
    onWarning: () => undefined,
  } as never);
  return {
    url: `${address}/connect`,
    connection,
    seen,
    open: () => void (opened = true),
    async [Symbol.asyncDispose]() {
      await connection.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const base = { clientName: 'editor', times: { between: 5, longest: 5000 } };

test('claims a token in the browser and exchanges it for a key', async () => {
  await using double = await startDouble('tokens');
  const pages: string[] = [];
  const made = await claimToken({
    ...base,
    server: double.url,
    connection: double.connection,
    signal: new AbortController().signal,
    onPage: (page) => {
      pages.push(page);
      double.open();
    },
  });
  expect(made).toEqual({ key: 'key-of-editor', id: '7', user_guid: GUID });
  expect(pages).toEqual([expect.stringMatching(/\/connect\/#\/claim\/T[0-9a-f]{32}$/)]);
  expect(double.seen.at(-1)).toBe(`POST /connect/__api__/v1/users/${GUID}/keys`);
});

test('goes on through a restart of the server, and a proxy that has had enough', async () => {
  await using double = await startDouble('tokens', [502, null, 429, 503]);
  const made = await claimToken({
    ...base,
    server: double.url,
    connection: double.connection,
    signal: new AbortController().signal,
    onPage: double.open,
  });
  expect(made).toMatchObject({ key: 'key-of-editor' });
});

test('rejects on a server without tokens, on expiry and on cancellation', async () => {
  const onPage = () => undefined;
  const { signal } = new AbortController();
  await using none = await startDouble('nothing');
  const at = ({ url, connection }: typeof none) => ({ ...base, server: url, connection, onPage });
  await expect(claimToken({ ...at(none), signal })).rejects.toMatchObject({ kind: 'unsupported' });
  await using double = await startDouble('tokens');
  const times = { between: 5, longest: 50 };
  await expect(claimToken({ ...at(double), signal, times })).rejects.toMatchObject({ kind: 'expired' });
  const ended = new AbortController();
  const waiting = claimToken({
    ...at(double),
    signal: ended.signal,
    onPage: () => ended.abort(new Error('Escape')),
  });
  await expect(waiting).rejects.toThrow();
});

test('does not read more than a megabyte of a response', async () => {
  await using double = await startDouble('too much');
  const { signal } = new AbortController();
  const onPage = () => expect.fail('a page is opened');
  await expect(
    claimToken({ ...base, server: double.url, connection: double.connection, signal, onPage }),
  ).rejects.toMatchObject({ name: 'BrowserSignInError', kind: 'unsupported' });
});
