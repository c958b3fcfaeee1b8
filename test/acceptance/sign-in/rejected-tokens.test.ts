// Covers what of registrations, signed requests and decisions about tokens is rejected.
import { createHash, createPublicKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeArchive, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  browse,
  claimed,
  newProgram,
  register,
  rsaKey,
  unsigned,
  type Forgery,
  type Program,
} from './signing.ts';

const MICROS = 1_000_000;
let time = Date.parse('2026-11-21T10:00:00Z') * 1000;
const clock = { now: () => (time += 1) };
const now = () => Math.floor(time / 1000);
const pass = (seconds: number) => (time += seconds * MICROS);
const waits: number[] = [];

let server: TestServer;
let publisher: Person;
let program: Program;
beforeAll(async () => {
  const pause = async (ms: number) => void waits.push(ms);
  server = await startTestServer({ clock, pause });
  publisher = await server.person('publisher');
  program = await claimed(server, publisher, now);
});
afterAll(() => server[Symbol.asyncDispose]());

const me = (who: Program, forgery?: Forgery) => who.send('GET', '/users/current', undefined, forgery);
const refused = { status: 401, body: { code: 24, payload: null } };
describe('Registration of a token', () => {
  const asked = (body: unknown) => server.anonymous('POST', '/tokens', { body });
  const der = (type: 'spki', pair: { publicKey: KeyObject }) =>
    pair.publicKey.export({ format: 'der', type }).toString('base64');
  const token = `T${'0a'.repeat(16)}`;

  test.each<[string, (key: string) => object]>([
    ['an empty object', () => ({})],
    ['no key', () => ({ token })],
    ['no token', (public_key) => ({ public_key })],
    ['a short token', (public_key) => ({ token: 'T123', public_key })],
    ['a token with a path', (public_key) => ({ token: `../../${token}`, public_key })],
    ['a long token', (public_key) => ({ token: 'T'.repeat(129), public_key })],
    ['numbers as values', () => ({ token: 7, public_key: 7 })],
    ['an empty key', () => ({ token, public_key: '' })],
    ['a key that is not Base64', (public_key) => ({ token, public_key: `${public_key.slice(4)}!` })],
    ['a key that is not DER', () => ({ token, public_key: randomBytes(294).toString('base64') })],
    ['a truncated key', (public_key) => ({ token, public_key: public_key.slice(0, 200) })],
    ['a huge key', () => ({ token, public_key: 'A'.repeat(100_000) })],
    ['a PEM key', (public_key) => ({ token, public_key: `-----BEGIN PUBLIC KEY-----\n${public_key}` })],
  ])('returns code 86 for %s', async (_what, make) => {
    const response = await asked(make(unsigned().publicKey));
    expect(response).toMatchObject({ status: 400, body: { code: 86, payload: null } });
  });

  test.each([
    ['512 bits', () => generateKeyPairSync('rsa', { modulusLength: 512 })],
    ['1024 bits', () => generateKeyPairSync('rsa', { modulusLength: 1024 })],
    [
      '8192 bits',
      () => ({ publicKey: createPublicKey({ key: rsaKey(1024, 65537), format: 'der', type: 'spki' }) }),
    ],
    [
      'an even exponent',
      () => ({ publicKey: createPublicKey({ key: rsaKey(256, 65536), format: 'der', type: 'spki' }) }),
    ],
    [
      'an exponent of 1',
      () => ({ publicKey: createPublicKey({ key: rsaKey(256, 1), format: 'der', type: 'spki' }) }),
    ],
    ['RSA-PSS', () => generateKeyPairSync('rsa-pss', { modulusLength: 2048 })],
    ['EC', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['Ed25519', () => generateKeyPairSync('ed25519')],
    ['DSA', () => generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 })],
  ])('returns code 86 for a key of %s', async (_what, pair) => {
    const response = await asked({ token, public_key: der('spki', pair()) });
    expect(response).toMatchObject({ status: 400, body: { code: 86, payload: null } });
  });

  test('rejects requests of other sites from a browser', async () => {
    const { token: name, publicKey } = unsigned();
    const body = { token: name, public_key: publicKey };
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect(await server.anonymous('POST', '/tokens', { body, headers })).toMatchObject({
      status: 403,
      body: { code: 92 },
    });
  });
});

describe('Rejected signed requests', () => {
  const at = (seconds: number) => new Date(now() + seconds * 1000).toUTCString();

  test.each<[string, () => Forgery]>([
    ['with the key of another program', () => ({ key: newProgram(server).privateKey })],
    ['for another path', () => ({ path: '/__api__/v1/user' })],
    ['for a path with the query', () => ({ path: '/__api__/users/current?a=b' })],
    ['for another method', () => ({ method: 'DELETE' })],
    ['with an unregistered token', () => ({ token: unsigned().token })],
    ['with an invalid token', () => ({ token: "' or 1=1 --" })],
    ['without a token', () => ({ token: '' })],
    ['with a date six minutes ago', () => ({ date: at(-360) })],
    ['with a date in six minutes', () => ({ date: at(360) })],
    ['with an invalid date', () => ({ date: 'yesterday' })],
    ['with a date in another format', () => ({ date: new Date(now()).toISOString() })],
    ['with an impossible date', () => ({ date: 'Sat, 41 Nov 2026 10:00:00 GMT' })],
    ['with a checksum of another body', () => ({ checksum: 'AAAAAAAAAAAAAAAAAAAAAA==' })],
    ['without a checksum', () => ({ checksum: '' })],
    ['with an empty signature', () => ({ signature: '' })],
    ['with a signature that is not Base64', () => ({ signature: '%%%%' })],
    ['with a signature of random bytes', () => ({ signature: randomBytes(256).toString('base64') })],
    ['with a signature of zeros', () => ({ signature: Buffer.alloc(256).toString('base64') })],
    ['with a short signature', () => ({ signature: randomBytes(8).toString('base64') })],
    ['with a huge signature', () => ({ signature: randomBytes(6000).toString('base64') })],
  ])('rejects a request %s', async (what, forge) => {
    const response = await me(program, forge());
    const code = what === 'with a checksum of another body' ? 104 : 24;
    expect(response.body).toMatchObject({ code, payload: null });
    expect((await me(program)).status).toBe(200);
  });

  test('a body that does not match its signature has no effect', async () => {
    const before = (await program.send('GET', '/applications')).body.total;
    const checksum = 'AAAAAAAAAAAAAAAAAAAAAA==';
    const swapped = await program.send('POST', '/v1/content', { name: 'swapped-body' }, { checksum });
    expect(swapped).toMatchObject({ status: 400, body: { code: 104 } });
    const { guid } = (await program.send('POST', '/v1/content', { name: 'body-checked' })).body;
    const image = await program.send('PUT', `/v1/content/${guid}/thumbnail`, Buffer.from('x'), { checksum });
    expect(image.body).toMatchObject({ code: 104 });
    const archive = await program.send('POST', `/v1/content/${guid}/bundles`, Buffer.from('x'), { checksum });
    expect(archive.body).toMatchObject({ code: 104 });
    const tail = await program.send('DELETE', `/v1/content/${guid}`, Buffer.from('x'), { checksum });
    expect(tail.body).toMatchObject({ code: 104 });
    expect((await program.send('GET', '/applications')).body.total).toBe(before + 1);
  });

  test('rejects a body that is too long, even with the right checksum', async () => {
    const response = await program.send('POST', '/v1/content', Buffer.alloc(2 * 1024 * 1024, ' '));
    expect(response).toMatchObject({ status: 400, body: { code: 87 } });
  });

  test('rejects a replay after five minutes', async () => {
    const date = at(0);
    expect((await me(program, { date })).status).toBe(200);
    pass(290);
    expect((await me(program, { date })).status).toBe(200);
    pass(20);
    expect(await me(program, { date })).toMatchObject(refused);
  });

  test('accepts an upload that takes longer', async () => {
    const archive = makeArchive({ 'index.html': 'x' });
    const checksum = createHash('md5').update(archive).digest('base64');
    const { guid } = (await program.send('POST', '/v1/content', { name: 'slow-upload' })).body;
    const { readable, writable } = new TransformStream();
    const writer = writable.getWriter();
    const uploading = program.send('POST', `/v1/content/${guid}/bundles`, readable, { checksum });
    await writer.write(archive.subarray(0, 100));
    await expect
      .poll(() => readdir(join(server.dataDir, 'bundles')))
      .toContainEqual(expect.stringMatching(/\.upload$/));
    pass(3600);
    await writer.write(archive.subarray(100));
    await writer.close();
    expect((await uploading).status).toBe(200);
  });

  test('rejects signatures on pages, which require a session', async () => {
    const path = '//__dashboard__/keys';
    const response = await program.send('GET', path, undefined, { path: '/__dashboard__/keys' });
    expect(response.status).toBe(303);
  });
});

describe('Confirmation page of a token', () => {
  test('shows the program, address and key, and opening it decides nothing', async () => {
    const fresh = newProgram(server, now);
    const body = { token: fresh.token, public_key: fresh.publicKey };
    await server.anonymous('POST', '/tokens', { body, headers: { 'User-Agent': '<b>R</b>' } });
    const page = (await (await browse(server, publisher)).look(fresh.token)).bytes.toString();
    expect(page).toContain('&lt;b&gt;R&lt;/b&gt;');
    expect(page).toContain('127.0.0.1');
    expect(page).toMatch(/SHA256:[\w+/]{43}/);
    expect((await me(fresh)).status).toBe(500);
  });

  test('sends signed-out visitors to sign in, and back', async () => {
    const path = `/__dashboard__/token?token=${program.token}`;
    const response = await server.anonymous('GET', `/${path}`);
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      `/__login__?next=${encodeURIComponent(path)}`,
    ]);
  });

  test('accepts a decision only with the session’s token, and of a known kind', async () => {
    const fresh = newProgram(server, now);
    await register(server, fresh);
    const form = { token: fresh.token, decision: 'allowed' };
    const tab = await browse(server, publisher);
    expect((await tab.post(form)).status).toBe(403);
    expect((await tab.post(form, { origin: 'https://elsewhere.example' })).status).toBe(403);
    const raw = new URLSearchParams(form).toString();
    expect((await publisher.call('POST', '//__dashboard__/token', { raw })).status).toBe(303);
    const path = '/__dashboard__/token';
    expect((await program.send('POST', `/${path}`, Buffer.from(raw), { path })).status).toBe(303);
    expect((await tab.decide(fresh.token, 'perhaps')).status).toBe(400);
    expect((await me(fresh)).status).toBe(500);
  });

  test('delays repeated guesses of tokens longer and longer', async () => {
    const tab = await browse(server, await server.person('viewer'));
    waits.length = 0;
    for (let i = 0; i < 7; i += 1) await tab.look(`T${randomBytes(16).toString('hex')}`);
    expect(waits).toEqual([1000, 2000, 4000]);
  });
});

test('behind a path prefix, clients sign the path with or without it', async () => {
  await using own = await startTestServer({ settings: { 'HTTP.TrustProxy': '127.0.0.1' } });
  const theirs = await claimed(own, await own.administrator());
  const headers = { 'x-forwarded-prefix': '/pressroom' };
  const path = '/pressroom/__api__/users/current';
  expect((await me(theirs, { headers, path })).status).toBe(200);
  expect((await me(theirs, { headers })).status).toBe(200);
  expect(await me(theirs, { path })).toMatchObject(refused);
});
