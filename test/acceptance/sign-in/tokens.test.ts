// Covers sign-in with a key pair, as `connectUser()` of rsconnect for R does: registered, claimed in the browser, signed.
import { createHash, createPublicKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeArchive, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browse, claimed, newProgram, register, type Forgery, type Program } from './signing.ts';

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
async function entries(person: Person): Promise<string[]> {
  const admin = await server.administrator();
  const { results } = (await admin.call('GET', '/v1/audit_logs?limit=500&ascOrder=false')).body;
  return results
    .filter((entry: { user_id: string }) => entry.user_id === person.guid)
    .map(
      (entry: { action: string; event_description: string }) => `${entry.action}: ${entry.event_description}`,
    );
}

describe('Signed requests of a program', () => {
  test('registers its key, gets 500 until claimed, then acts as that person', async () => {
    const fresh = newProgram(server, now);
    const registered = await register(server, fresh);
    expect([registered.status, registered.body]).toEqual([
      200,
      { token_claim_url: `${server.url}/__dashboard__/token?token=${fresh.token}` },
    ]);
    // Releases of rsconnect up to 1.3 wait for this response, and later ones, too.
    expect(await me(fresh)).toMatchObject({ status: 500, body: { error: 'the token is not claimed yet' } });
    expect((await (await browse(server, publisher)).decide(fresh.token, 'allowed')).status).toBe(303);
    expect((await me(fresh)).body).toMatchObject({ guid: publisher.guid, username: publisher.username });
  });

  test('creates, uploads and deploys content, and polls with an unsigned query', async () => {
    const { guid } = (await program.send('POST', '/v1/content', { name: 'signed-by-r' })).body;
    const manifest = { version: 1, metadata: { appmode: 'static', primary_html: 'index.html' }, files: {} };
    const archive = makeArchive({ 'manifest.json': JSON.stringify(manifest), 'index.html': 'signed' });
    const bundle = await program.send('POST', `/v1/content/${guid}/bundles`, archive);
    expect(bundle.status).toBe(200);
    const bundle_id = bundle.body.id;
    const { task_id } = (await program.send('POST', `/v1/content/${guid}/deploy`, { bundle_id })).body;
    const task = await program.send('GET', `/v1/tasks/${task_id}?first=0&wait=20`);
    expect(task.body).toMatchObject({ finished: true, code: 0 });
    expect((await program.send('DELETE', `/v1/content/${guid}`)).status).toBe(204);
  });

  test('is listed among the person’s keys and revocable; claiming again is error 84', async () => {
    const gone = await claimed(server, publisher, now);
    const keys = (await publisher.call('GET', `/v1/users/${publisher.guid}/keys`)).body;
    const { id, name, role } = keys.at(-1);
    expect([name, role]).toEqual(['RSConnect/1.8.0, 2026-11-21', null]);
    const page = await (await browse(server, publisher)).look(gone.token);
    expect([page.status, page.bytes.toString()]).toEqual([
      403,
      expect.stringContaining('Token already claimed'),
    ]);
    expect((await publisher.call('DELETE', `/v1/users/${publisher.guid}/keys/${id}`)).status).toBe(204);
    expect(await me(gone)).toMatchObject(refused);
  });

  test('audits that the token was allowed, used and revoked, but not its value', async () => {
    const own = await server.person('publisher');
    const noted = await claimed(server, own, now);
    await me(noted);
    const { id } = (await own.call('GET', `/v1/users/${own.guid}/keys`)).body.at(-1);
    await own.call('DELETE', `/v1/users/${own.guid}/keys/${id}`);
    const log = (await entries(own)).join('\n');
    expect(log).toMatch(
      /allow_device: Allowed "RSConnect\/1\.8\.0" \(asked from 127\.0\.0\.1, key SHA256:[\w+/]{43}\)/,
    );
    expect(log).toMatch(
      /add_api_key: Created API key "RSConnect\/1\.8\.0, [^"]+" \(\d+\) of user .*, for signed requests/,
    );
    expect(log).toContain('remove_api_key: Revoked API key "RSConnect/1.8.0');
    expect(log).not.toContain(noted.token);
  });

  test('follows changes of the person’s role', async () => {
    const changing = await server.person('publisher');
    const their = await claimed(server, changing, now);
    const make = () =>
      their.send('POST', '/v1/content', { name: `by-role-${randomBytes(4).toString('hex')}` });
    expect((await make()).status).toBe(200);
    const admin = await server.administrator();
    await admin.call('PUT', `/v1/users/${changing.guid}`, { body: { user_role: 'viewer' } });
    expect(await make()).toMatchObject({ status: 403, body: { code: 22 } });
    await admin.call('POST', `/v1/users/${changing.guid}/lock`, { body: { locked: true } });
    expect(await me(their)).toMatchObject({ status: 403, body: { code: 50 } });
  });

  test('a denied token gets 403, which ends the polling', async () => {
    const unwanted = newProgram(server, now);
    await register(server, unwanted);
    const tab = await browse(server, publisher);
    expect((await tab.decide(unwanted.token, 'denied')).status).toBe(303);
    expect(await me(unwanted)).toMatchObject({
      status: 403,
      body: { code: 22, error: 'the token was denied' },
    });
    expect((await tab.decide(unwanted.token, 'allowed')).status).toBe(401);
    expect((await entries(publisher)).join('\n')).toContain('deny_device: Denied "RSConnect/1.8.0"');
  });

  test('expires after one hour with code 29, and is deleted an hour later', async () => {
    const late = newProgram(server, now);
    await register(server, late);
    pass(3599);
    expect((await me(late)).status).toBe(500);
    pass(2);
    const tab = await browse(server, publisher);
    expect(await me(late)).toMatchObject({ status: 401, body: { code: 29 } });
    expect((await tab.look(late.token)).bytes.toString()).toContain('claimed within one hour');
    expect((await tab.decide(late.token, 'allowed')).status).toBe(401);
    expect(await me(late)).toMatchObject({ status: 401, body: { code: 29 } });
    pass(3600);
    await register(server, newProgram(server, now));
    expect(await me(late)).toMatchObject(refused);
  });

  test('an API key in the same request takes precedence', async () => {
    const admin = await server.administrator();
    const headers = { Authorization: `Key ${admin.key}` };
    expect((await me(program, { headers })).body.guid).toBe(admin.guid);
    expect(await me(program, { headers: { Authorization: `Key ${program.token}` } })).toMatchObject(refused);
    expect(await me(program, { headers: { Authorization: `Key token ${program.token}` } })).toMatchObject(
      refused,
    );
  });

  test('accepts anonymous-access for public operations, and rejects unknown tokens', async () => {
    const headers = { 'X-Auth-Token': 'anonymous-access' };
    expect((await server.anonymous('GET', '/server_settings', { headers })).status).toBe(200);
    expect(await program.send('GET', '/server_settings', undefined, { token: 'T'.repeat(33) })).toMatchObject(
      refused,
    );
  });
});

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
    const response = await asked(make(newProgram(server).publicKey));
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

  test('rejects a known key or name with code 85, claimed or not', async () => {
    const waiting = newProgram(server, now);
    await register(server, waiting);
    for (const known of [waiting, program]) {
      const other = newProgram(server, now);
      const taken = { status: 400, body: { code: 85, error: 'Token with same key exists' } };
      expect(await register(server, known)).toMatchObject(taken);
      expect(await register(server, { ...other, publicKey: known.publicKey })).toMatchObject(taken);
      expect(await register(server, { ...other, token: known.token })).toMatchObject(taken);
    }
  });

  test('rejects requests of other sites from a browser', async () => {
    const { token: name, publicKey } = newProgram(server);
    const body = { token: name, public_key: publicKey };
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect(await server.anonymous('POST', '/tokens', { body, headers })).toMatchObject({
      status: 403,
      body: { code: 92 },
    });
  });
});

describe('Rejected signed requests', () => {
  const other = () => newProgram(server, now);
  const at = (seconds: number) => new Date(now() + seconds * 1000).toUTCString();

  test.each<[string, () => Forgery]>([
    ['with the key of another program', () => ({ key: other().privateKey })],
    ['for another path', () => ({ path: '/__api__/v1/user' })],
    ['for a path with the query', () => ({ path: '/__api__/users/current?a=b' })],
    ['for another method', () => ({ method: 'DELETE' })],
    ['with an unregistered token', () => ({ token: other().token })],
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

  test('of two people who claim a token at once, one gets it', async () => {
    const fresh = newProgram(server, now);
    await register(server, fresh);
    const tabs = await Promise.all(
      [publisher, await server.person('viewer')].map((who) => browse(server, who)),
    );
    const responses = await Promise.all(tabs.map((tab) => tab.decide(fresh.token, 'allowed')));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 403]);
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

test('a token used from a new network is audited like a key', async () => {
  await using own = await startTestServer({ settings: { 'HTTP.TrustProxy': '127.0.0.1' } });
  const admin = await own.administrator();
  const theirs = await claimed(own, admin);
  for (const address of ['192.0.2.1', '192.0.2.1', '198.51.100.7'])
    expect((await me(theirs, { headers: { 'x-forwarded-for': address } })).status).toBe(200);
  const { results } = (await admin.call('GET', '/v1/audit_logs?limit=500')).body;
  const uses = results.filter((entry: { action: string }) => entry.action === 'use_api_key');
  expect(uses.map((entry: { event_description: string }) => entry.event_description)).toEqual([
    expect.stringMatching(
      /^API key "RSConnect\/1\.8\.0, .*" \(\d+\) was used from 198\.51\.100\.7, for the first time$/,
    ),
  ]);
});

test('deleting a person deletes their tokens', async () => {
  await using own = await startTestServer({ settings: {} });
  const gone = await own.person('publisher');
  const theirs = await claimed(own, gone);
  expect((await me(theirs)).status).toBe(200);
  const { storage, authenticator } = own.running.services;
  await storage.write((tx) => tx.deleteFrom('user_account').where('guid', '=', gone.guid).execute());
  authenticator.forget(gone.guid);
  expect(await me(theirs)).toMatchObject(refused);
  expect(
    await storage.db.selectFrom('api_key').select('id').where('user_guid', '=', gone.guid).execute(),
  ).toEqual([]);
});

test('one address has at most 200 unclaimed tokens, which expire after two hours', async () => {
  await using own = await startTestServer({ clock });
  const many = (i: number) =>
    register(own, { token: `T${String(i).padStart(32, '0')}`, publicKey: keyNumber(i) });
  for (let i = 0; i < 200; i += 1) expect((await many(i)).status).toBe(200);
  expect(await many(200)).toMatchObject({ status: 400, body: { code: 25 } });
  pass(7201);
  expect((await many(200)).status).toBe(200);
});

/** Makes a distinct public key quickly, without a private key. */
function keyNumber(i: number): string {
  return rsaKey(256, 65537, i * 2 + 1).toString('base64');
}

/** @param bytes of the modulus, which is not a product of primes */
function rsaKey(bytes: number, exponent: number, tail = 1): Buffer {
  const n = Buffer.alloc(bytes, 0xa5);
  n.writeUInt32BE(tail, bytes - 4);
  const jwk = {
    kty: 'RSA',
    n: n.toString('base64url'),
    e: Buffer.from(exponent.toString(16).padStart(6, '0'), 'hex').toString('base64url'),
  };
  return createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'der', type: 'spki' });
}
