// Covers what directories answer to a refused password: some have more than one code for it.
import { createServer, type AddressInfo, type Server } from 'node:net';
import type { ApiError } from '@pressroom/api/contract';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../../main/config/load-config.ts';
import type { ProviderParts, SignInProvider } from '../provider.ts';
import { createLdap } from './index.ts';

const SEARCHER = 'cn=search,dc=corp';
const ANN = 'uid=ann,dc=corp';

/** What the directory answers to the password of a person: a result code of RFC 4511. */
let code: number;
let said: string;
let directory: Server;
let provider: SignInProvider;
beforeEach(async () => {
  said = '';
  directory = createServer((socket) => {
    socket.on('error', () => undefined).on('data', (message) => socket.write(answerTo(message)));
  });
  await new Promise<void>((resolve) => directory.listen(0, '127.0.0.1', resolve));
  const { port } = directory.address() as AddressInfo;
  const settings = {
    'LDAP.URL': `ldap://127.0.0.1:${port}`,
    'LDAP.BindDN': SEARCHER,
    'LDAP.BindPassword': 'secret',
    'LDAP.UserBase': 'dc=corp',
  };
  provider = createLdap({ config: loadConfig({}, settings) } as ProviderParts);
});
afterEach(async () => {
  await provider[Symbol.asyncDispose]();
  await new Promise((resolve) => directory.close(resolve));
});

const tlv = (tag: number, ...parts: readonly Buffer[]) => {
  const value = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, value.length]), value]);
};
const text = (value: string) => tlv(0x04, Buffer.from(value));
const attribute = (name: string, value: string) => tlv(0x30, text(name), tlv(0x31, text(value)));
const result = (tag: number, value: number) =>
  tlv(tag, tlv(0x0a, Buffer.from([value])), text(''), text(value === 49 ? said : ''));

/** Answers a bind or a search by short messages, as the client sends them here. */
function answerTo(message: Buffer): Buffer {
  const at = message[1]! < 0x80 ? 2 : 2 + (message[1]! & 0x7f);
  const id = message.subarray(at, at + 3);
  const reply = (...parts: readonly Buffer[]) => tlv(0x30, id, ...parts);
  const kind = message[at + 3];
  if (kind === 0x60) return reply(result(0x61, message.includes(SEARCHER) ? 0 : code));
  if (kind !== 0x63) return Buffer.alloc(0);
  const done = reply(result(0x65, 0));
  if (!message.includes('ann')) return done;
  const known = tlv(0x30, attribute('uid', 'ann'), attribute('entryUUID', 'the id of ann'));
  return Buffer.concat([reply(tlv(0x64, text(ANN), known)), done]);
}

async function signIn(username: string): Promise<unknown> {
  const { signIn: way } = provider;
  if (way.by !== 'form') throw new Error('not a form');
  return way.check(username, 'a password').catch((error: unknown) => error);
}

test('accepts a password that the directory accepts', async () => {
  code = 0;
  expect(await signIn('ann')).toMatchObject({ person: { username: 'ann', unique_id: 'the id of ann' } });
});

// No such object, no password of its own, locked after many attempts, deactivated.
test.each([49, 32, 48, 19, 53])(
  'a refused password is error 30 for known and unknown people, also with code %i',
  async (refusal) => {
    code = refusal;
    expect(await signIn('ann')).toMatchObject({ code: 30 });
    expect(await signIn('nobody')).toMatchObject({ code: 30 });
  },
);

test('a directory that is busy refuses nobody: error 63', async () => {
  code = 51;
  expect(await signIn('ann')).toMatchObject({ code: 63 });
});

// As Active Directory does; 52e is a wrong password.
test.each([
  ['52e', undefined],
  ['533', 'the directory says that the account is disabled'],
  ['773', 'the directory says that the account must change the password first'],
])('the log has why Active Directory refuses a right password: %s', async (data, message) => {
  code = 49;
  said = `80090308: LdapErr: DSID-0, comment: AcceptSecurityContext error, data ${data}, v1`;
  const refusal = (await signIn('ann')) as ApiError;
  expect([refusal.code, (refusal.cause as Error | undefined)?.message]).toEqual([30, message]);
});
