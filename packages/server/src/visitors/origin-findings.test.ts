// Covers messages at the start and for administrators about origins, by settings.
import { expect, test } from 'vitest';
import { readContentAddress } from '../content/address.ts';
import { loadConfig } from '../main/config/load-config.ts';
import type { Config } from '../main/config/settings.ts';
import { contentListenAddress, originFindings } from './origin-findings.ts';

const ADDRESS = { 'Server.Address': 'https://pressroom.example.com' };
const config = (settings: Partial<Config>) => loadConfig({}, settings);
const lacking = (settings: Partial<Config>, port: number | null = null) =>
  originFindings(config(settings), port)
    .filter((finding) => !finding.protected)
    .map(({ message }) => message)
    .join('\n');

test.each<[string, Partial<Config>]>([
  ['on this machine', {}],
  ['with an origin for each item', { ...ADDRESS, 'Server.ContentAddress': 'https://*.content.example.com' }],
])('reports no missing protection %s', (_name, settings) => {
  expect(lacking(settings)).toBe('');
  expect(originFindings(config(settings), null)[0]!.message).toMatch(
    /Each content item has an origin of its own/,
  );
});

test.each<[string, Partial<Config>, number | null, RegExp]>([
  [
    'one origin for all content',
    { ...ADDRESS, 'Server.ContentAddress': 'https://content.example.com' },
    null,
    /All content shares one origin/,
  ],
  [
    'the origin of the dashboard',
    { ...ADDRESS, 'Server.ContentOrigin': 'shared' },
    null,
    /share the origin of the dashboard/,
  ],
  ['no content origin', ADDRESS, null, /shown in a sandbox/],
  ['a second port', { 'HTTP.Listen': '0.0.0.0:3939' }, 3940, /the origin of port 3940[^]*without encryption/],
  [
    'a proxy without Server.Address',
    { 'HTTP.TrustProxy': '127.0.0.1' },
    null,
    /sandbox[^]*without encryption/,
  ],
  [
    'content origins without TLS',
    { ...ADDRESS, 'Server.ContentAddress': 'http://*.content.example.com' },
    null,
    /Use https/,
  ],
])('reports %s with its remedy', (_name, settings, port, message) => {
  expect(lacking(settings, port)).toMatch(message);
  expect(lacking(settings, port)).toMatch(/Set Server\.|Use https/);
});

test.each<[Partial<Config>, string | null]>([
  [{}, null],
  [{ 'HTTP.Listen': '0.0.0.0:3939' }, '0.0.0.0:3940'],
  [{ 'HTTP.Listen': '[::]:3939' }, '[::]:3940'],
  [{ 'HTTP.Listen': '0.0.0.0:3939', ...ADDRESS }, null],
  [{ 'HTTP.Listen': '0.0.0.0:3939', 'HTTP.TrustProxy': '10.0.0.1' }, null],
  [{ 'HTTP.Listen': '0.0.0.0:3939', 'HTTP.ContentListen': 'off' }, null],
  [{ 'HTTP.Listen': '0.0.0.0:3939', 'Server.ContentOrigin': 'shared' }, null],
  [{ 'HTTP.ContentListen': '127.0.0.1:4000' }, '127.0.0.1:4000'],
])('%j opens a second port at %s', (settings, address) => {
  expect(contentListenAddress(config(settings))?.address ?? null).toBe(address);
});

test.each<[Partial<Config>, RegExp]>([
  [{ 'Server.ContentAddress': 'https://*.content.example.com' }, /requires Server.Address/],
  [{ ...ADDRESS, 'Server.ContentAddress': 'https://content.example.com/x' }, /must be an origin/],
  [{ ...ADDRESS, 'Server.ContentAddress': 'https://a.*.example.com' }, /as its first label/],
  [{ ...ADDRESS, 'Server.ContentAddress': 'https://*' }, /as its first label/],
  [{ ...ADDRESS, 'Server.ContentAddress': 'https://pressroom.example.com' }, /must not be the address/],
  [
    { ...ADDRESS, 'Server.ContentAddress': 'https://*.a.example.com', 'Server.ContentOrigin': 'shared' },
    /has no effect/,
  ],
])('rejects %j at the start', (settings, message) => {
  expect(() => readContentAddress(config(settings))).toThrow(message);
});
