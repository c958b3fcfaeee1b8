// Covers SAML with an identity provider built on the package samlify, which also sends invalid responses.
import type { Config } from '@pressroom/server';
import {
  createBrowser,
  createSamlProvider,
  ownAddress,
  SAML_PROVIDER,
  SAML_SIGN_ON,
  startTestServer,
  testCertificate,
  type Browser,
  type SamlResponse,
} from '@pressroom/testkit';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeProvider, type Rig } from './conformance.ts';

interface SamlRig extends Rig {
  /** Opens the provider's page. Returns the id of the request. */
  ask(browser: Browser, next?: string): Promise<string>;
  /** Posts a response as the provider's page does from another site: without cookies. */
  post(options: SamlResponse): Promise<{ status: number; location: string | null; response: string }>;
  readonly address: string;
}

async function start(): Promise<SamlRig> {
  const { address, settings: own } = await ownAddress();
  const provider = createSamlProvider(address);
  const settings: Partial<Config> = {
    ...own,
    'SAML.SingleSignOnURL': SAML_SIGN_ON,
    'SAML.IdentityProvider': SAML_PROVIDER,
    'SAML.Certificate': provider.certificate,
    'SAML.UsernameAttribute': 'uid',
  };
  const ask = async (browser: Browser, next = '/') => {
    const page = await browser.get(`${address}/__login__?next=${encodeURIComponent(next)}`);
    return provider.requestIn(page.headers.get('location')!);
  };
  const post = async (options: SamlResponse) => {
    const response = await provider.respond(options);
    const page = await createBrowser().submit(`${address}/__login__/callback`, { SAMLResponse: response });
    return { status: page.status, location: page.headers.get('location'), response };
  };
  return {
    address,
    settings,
    ask,
    post,
    async signIn(_at, browser, who, next) {
      const { location } = await post({ username: who, request: await ask(browser, next) });
      return browser.follow(await browser.get(`${address}${location}`));
    },
    async fail(_at, browser, who) {
      const request = await ask(browser);
      const response = await provider.respond({
        username: who,
        request,
        signer: testCertificate('idp.example'),
      });
      return browser.submit(`${address}/__login__/callback`, { SAMLResponse: response });
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

describeProvider('saml', {
  start,
  firstUser: 'signs in',
  failure: 98,
  byPassword: false,
  profile: 'of the provider',
  creation: 'push',
  pushed: (who) => ({ unique_id: `id-${who}` }),
  groups: 'kept here',
  remoteGroups: false,
});

describe('SAML response', () => {
  let rig: SamlRig;
  const logged: string[] = [];
  let server: Awaited<ReturnType<typeof startTestServer>>;
  beforeAll(async () => {
    rig = await start();
    const log = pino({ level: 'warn' }, { write: (line) => logged.push(line) });
    server = await startTestServer({ settings: { 'Authentication.Provider': 'saml', ...rig.settings }, log });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const inAttribute = (xml: string) => xml.replace('>alice<', '>mallory<');
  const inNameId = (xml: string) => xml.replace('id-alice', 'id-mallory');
  /** Moves the signed assertion aside and puts a forged one in its place. */
  function wrapped(xml: string): string {
    const signed = /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(xml)![0];
    const forged = signed
      .replace(/<ds:Signature[\s\S]*?<\/ds:Signature>/, '')
      .replace(/ID="[^"]+"/, 'ID="_forged"')
      .replaceAll('alice', 'mallory');
    return xml.replace(signed, `${forged}<samlp:Extensions>${signed}</samlp:Extensions>`);
  }
  const doubled = (xml: string) => {
    const signed = /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(xml)![0];
    return xml.replace(signed, signed.replaceAll('alice', 'mallory') + signed);
  };
  const external = (xml: string) =>
    `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xml.replace('>alice<', '>&e;<')}`;

  const confirmed = (what: RegExp, by: string): Partial<SamlResponse> => ({
    edit: (xml) =>
      xml.replace(/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/, (one) => one.replace(what, by)),
  });
  const padded = (padding: string) => (xml: string) =>
    xml.replace('</samlp:Response>', `${padding}</samlp:Response>`);

  test.each<[string, Partial<SamlResponse>, RegExp]>([
    ['whose assertion is not signed', { signs: { assertion: false, response: true } }, /^Invalid signature/],
    ['whose response is not signed', { signs: { assertion: true, response: false } }, /document signature/],
    ['signed with another key', { signer: testCertificate('idp.example') }, /signature/],
    ['of another provider', { issuer: 'https://other.example' }, /is of https:/],
    ['for another server', { audience: 'https://other.example' }, /audience/],
    ['for another recipient', { recipient: 'https://other.example/callback' }, /another server/],
    ['that is an hour old', { shift: -3_600_000 }, /expired/],
    ['from the future', { shift: 3_600_000 }, /not yet valid/],
    ['whose confirmation has expired', confirmed(/20\d\d-[^"]+Z/, '2020-01-01T00:00:00Z'), /expired/],
    ['whose confirmation has no expiry', confirmed(/NotOnOrAfter="[^"]+"/, ''), /NotOnOrAfter/],
    ['that requires the holder of a key', confirmed(/cm:bearer/, 'cm:holder-of-key'), /another server/],
    [
      'whose assertion is for another request',
      confirmed(/InResponseTo="/, 'InResponseTo="_other'),
      /another request/,
    ],
    ['with many elements', { tamper: padded('<b/>'.repeat(2000)) }, /too large/],
    ['with many attributes', { tamper: padded(`<b${' c="d"'.repeat(2000)}/>`) }, /too large/],
    ['with many attributes without a value', { tamper: padded(`<b${' c'.repeat(12_000)}/>`) }, /too large/],
    ['with many attributes without `=`', { tamper: padded(`<b ${'c"d"'.repeat(6000)}/>`) }, /too large/],
    [
      'with many attributes separated by U+0085',
      { tamper: padded(`<b${'\u0085c'.repeat(12_000)}/>`) },
      /too large/,
    ],
    ['that is too long', { tamper: padded(' '.repeat(131_072)) }, /too large/],
    ['without a request', { request: '' }, /nobody asked/],
    ['with a changed attribute', { tamper: inAttribute }, /signature/],
    ['with a changed NameID', { tamper: inNameId }, /signature/],
    ['with a wrapped signature', { tamper: wrapped }, /signature/],
    ['with a second assertion', { tamper: doubled }, /signature/],
    ['with an external entity', { tamper: external }, /entity not found/],
    [
      'without any signature',
      {
        signs: { assertion: false },
        tamper: (xml) => xml.replace(/<ds:Signature[\s\S]*?<\/ds:Signature>/g, ''),
      },
      /signature/,
    ],
    ['that is not XML', { tamper: () => 'nonsense' }, /not a valid XML/i],
  ])('rejects a response %s', async (_what, options, why) => {
    const browser = createBrowser();
    const request = await rig.ask(browser);
    expect(await rig.post({ username: 'alice', request, ...options })).toMatchObject({
      status: 401,
      location: null,
    });
    expect((JSON.parse(logged.at(-1)!) as { why: string }).why).toMatch(why);
  });

  test('reads a name with a comment in it completely', async () => {
    const browser = createBrowser();
    const request = await rig.ask(browser);
    const edit = (xml: string) =>
      xml.replaceAll('alice', 'al<!-- x -->ice').replace('id-al', 'id-<!-- x -->al');
    const { location } = await rig.post({ username: 'alice', request, edit });
    await browser.follow(await browser.get(`${rig.address}${location}`));
    const seen = await browser.get(`${rig.address}/__api__/v1/user`);
    expect(JSON.parse(seen.text)).toMatchObject({ username: 'alice' });
  });

  test('reads several hundred groups, each on its own line', async () => {
    const browser = createBrowser();
    const request = await rig.ask(browser);
    const group = (i: number) =>
      `<saml:AttributeValue xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">All people of department ${i}</saml:AttributeValue>`;
    const groups = Array.from({ length: 450 }, (_, i) => group(i)).join('\n        ');
    const edit = (xml: string) =>
      xml.replace(
        '</saml:AttributeStatement>',
        `<saml:Attribute Name="groups">${groups}</saml:Attribute></saml:AttributeStatement>`,
      );
    expect(await rig.post({ username: 'alice', request, edit })).toMatchObject({ status: 303 });
  });

  test('rejects a response that was used before', async () => {
    const browser = createBrowser();
    const { status, location, response } = await rig.post({
      username: 'alice',
      request: await rig.ask(browser),
    });
    expect(status).toBe(303);
    const again = await browser.submit(`${rig.address}/__login__/callback`, { SAMLResponse: response });
    expect(again.status).toBe(401);
    expect((await browser.get(`${rig.address}${location}`)).status).toBe(303);
    expect((await browser.get(`${rig.address}${location}`)).status).toBe(401);
  });

  test('rejects a response in another browser than the requesting one', async () => {
    const [alice, mallory] = [createBrowser(), createBrowser()];
    const { location } = await rig.post({ username: 'alice', request: await rig.ask(alice) });
    expect((await mallory.get(`${rig.address}${location}`)).status).toBe(401);
    await rig.ask(mallory);
    expect((await mallory.get(`${rig.address}${location}`)).status).toBe(401);
    expect((await alice.get(`${rig.address}${location}`)).status).toBe(303);
  });

  test('matches each response to its attempt if a browser started several', async () => {
    const browser = createBrowser();
    const requests = [
      await rig.ask(browser, '/__dashboard__/keys'),
      await rig.ask(browser, '/__dashboard__/account'),
    ];
    const pages: (string | null)[] = [];
    for (const request of requests) {
      const { location } = await rig.post({ username: 'alice', request });
      pages.push((await browser.get(`${rig.address}${location}`)).headers.get('location'));
    }
    expect(pages).toEqual(['/__dashboard__/keys', '/__dashboard__/account']);
  });

  test('logs the reason for a rejection without showing it to the visitor', async () => {
    const browser = createBrowser();
    const page = await rig.fail(rig.address, browser, 'alice');
    expect(page.text).toContain('You could not be signed in');
    expect(page.text).not.toMatch(/signature/i);
    expect((JSON.parse(logged.at(-1)!) as { why: string }).why).toMatch(
      /signed, with a key of SAML.Certificate/,
    );
  });
});

test.each<[Partial<Config>, RegExp]>([
  [{ 'SAML.UsernameAttribute': 'upn' }, /UsernameAttribute is upn, but .*uid/],
  [{ 'SAML.UniqueIdAttribute': 'oid' }, /UniqueIdAttribute is oid, but .*uid/],
])('the log names the attributes that a provider sends instead of %j', async (settings, why) => {
  const rig = await start();
  const logged: string[] = [];
  await using _server = await startTestServer({
    settings: { 'Authentication.Provider': 'saml', ...rig.settings, ...settings },
    log: pino({ level: 'warn' }, { write: (line) => void logged.push(line) }),
  });
  const browser = createBrowser();
  await rig.post({ username: 'alice', request: await rig.ask(browser) });
  const { why: reason } = JSON.parse(logged.at(-1)!) as { why: string };
  expect(reason).toMatch(why);
  expect(reason).not.toContain('alice');
});

test('the page after signing out says that the session at the provider may go on', async () => {
  const rig = await start();
  await using _server = await startTestServer({
    settings: { 'Authentication.Provider': 'saml', ...rig.settings },
  });
  const browser = createBrowser();
  await rig.signIn(rig.address, browser, 'alice');
  const xsrf = browser.cookie(`${rig.address}/`, 'RSC-XSRF') ?? '';
  const page = await browser.submit(`${rig.address}/__dashboard__/sign-out`, { xsrf });
  expect(page.text).toContain('may still be signed in at the identity provider');
});

test('the metadata contains the address for responses', async () => {
  const rig = await start();
  await using server = await startTestServer({
    settings: { 'Authentication.Provider': 'saml', ...rig.settings },
  });
  const page = await createBrowser().get(`${server.url}/__login__/metadata`);
  expect(page.headers.get('content-type')).toContain('application/samlmetadata+xml');
  expect(page.text).toContain(`Location="${rig.address}/__login__/callback"`);
  expect(page.text).toContain('WantAssertionsSigned="true"');
});

test('while the provider changes its key, responses are accepted with either of two certificates', async () => {
  const rig = await start();
  const next = testCertificate('idp.example');
  const both = `${next.certificate}\n${rig.settings['SAML.Certificate']}`;
  await using _server = await startTestServer({
    settings: { 'Authentication.Provider': 'saml', ...rig.settings, 'SAML.Certificate': both },
  });
  for (const signer of [undefined, next]) {
    const request = await rig.ask(createBrowser());
    expect(await rig.post({ username: 'alice', request, ...(signer && { signer }) })).toMatchObject({
      status: 303,
    });
  }
});

test.each([
  [{}, 'SAML.SingleSignOnURL, SAML.Certificate, SAML.IdentityProvider, Server.Address'],
  [
    {
      'SAML.SingleSignOnURL': 'https://idp.example',
      'SAML.IdentityProvider': 'x',
      'Server.Address': 'http://x',
      'SAML.Certificate': '/none',
    },
    'SAML.Certificate',
  ],
])('startup fails and names the settings: %j', async (settings, named) => {
  const all = { 'Authentication.Provider': 'saml', ...settings } as const;
  await expect(startTestServer({ settings: all })).rejects.toThrow(named);
});
