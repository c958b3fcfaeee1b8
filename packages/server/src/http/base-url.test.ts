// Covers the host that a visitor asked for: pages of content must not make the server use a wrong origin.
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { loadConfig } from '../main/config/load-config.ts';
import { createBaseUrl } from './base-url.ts';

const ITEM = `c${'0123456789abcdef'.repeat(2)}`;

function asked(settings: Parameters<typeof loadConfig>[1], headers: Record<string, string>): string | null {
  const base = createBaseUrl(loadConfig({}, { 'HTTP.TrustProxy': '127.0.0.1', ...settings }));
  return base.hostOf({ headers, socket: { remoteAddress: '127.0.0.1' } } as unknown as IncomingMessage);
}

const WILDCARD = {
  'Server.Address': 'https://pressroom.example.com',
  'Server.ContentAddress': 'https://*.content.example.com',
};

test('ignores a forged X-Forwarded-Host when the proxy passes on the requested host', () => {
  const made = { 'x-forwarded-host': 'pressroom.example.com' };
  const item = `${ITEM}.content.example.com`;
  expect(asked(WILDCARD, { host: item, ...made })).toBe(item);
  expect(asked({}, { host: `${ITEM}.localhost:3939`, ...made })).toBe(`${ITEM}.localhost:3939`);
  const main = { host: 'pressroom.example.com', 'x-forwarded-host': item };
  expect(asked(WILDCARD, main)).toBe('pressroom.example.com');
  const fixed = { ...WILDCARD, 'Server.ContentAddress': 'https://content.example.com' };
  expect(asked(fixed, { host: 'content.example.com', ...made })).toBe('content.example.com');
});

test('uses X-Forwarded-Host behind a proxy that sends a host name of its own', () => {
  const item = `${ITEM}.content.example.com`;
  expect(asked(WILDCARD, { host: '127.0.0.1:3939', 'x-forwarded-host': item })).toBe(item);
  expect(asked({}, { host: 'upstream', 'x-forwarded-host': 'pressroom.example.org' })).toBe(
    'pressroom.example.org',
  );
});

test('of thousands of forwarded hosts, those count that proxies have added', () => {
  const base = createBaseUrl(loadConfig({}, { 'HTTP.TrustProxy': '127.0.0.1' }));
  const forged = Array.from({ length: 5000 }, (_, i) => `h${i}`).join(', ');
  const headers = { host: 'inner', 'x-forwarded-host': `${forged}, a.example.com` };
  const request = { headers, socket: { remoteAddress: '127.0.0.1' } } as unknown as IncomingMessage;
  const others = base.otherHostsOf(request);
  expect(others.slice(-2)).toEqual(['a.example.com', 'inner']);
  expect(others.length).toBeLessThan(20);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1, 127.0.0.2', '192.0.2.1'],
  // Everything before the last address is set by the visitor, also if a proxy adds the port or sends `unknown`.
  ['198.51.100.9, 192.0.2.1:4711', '192.0.2.1'],
  ['198.51.100.9, [2001:db8::1]:4711, 127.0.0.2:80', '2001:db8::1'],
  ['198.51.100.9, 2001:db8::1', '2001:db8::1'],
  // Proxies that listen on a dual-stack socket: as IPv6, all visitors would be of one network.
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['[::FFFF:192.0.2.1]:4711, ::ffff:127.0.0.2', '192.0.2.1'],
  ['198.51.100.9, unknown', '127.0.0.1'],
  ['127.0.0.2', '127.0.0.1'],
  ['', '127.0.0.1'],
])('reads X-Forwarded-For %j as visitor %s', (forwarded, visitor) => {
  const base = createBaseUrl(loadConfig({}, { 'HTTP.TrustProxy': '127.0.0.0/8' }));
  const request = { headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress: '127.0.0.1' } };
  expect(base.visitor(request as unknown as IncomingMessage)).toBe(visitor);
});

test.each([
  ['/connect', '/connect'],
  ['/a/b.c//', '/a/b.c'],
  ['/', ''],
  ['', ''],
  ['connect', ''],
  ['/a//b', ''],
  ['/a?b', ''],
  ['/a, /b', '/a'],
  // Some proxies pass on what visitors send: it must not take time quadratic in its length.
  [`x${'/'.repeat(1_000_000)}x`, ''],
  [`${'/x'.repeat(100_000)}/?`, ''],
])('takes from X-Forwarded-Prefix %.20j', (forwarded, prefix) => {
  const base = createBaseUrl(loadConfig({}, { 'HTTP.TrustProxy': '127.0.0.1' }));
  const headers = { host: 'h', 'x-forwarded-prefix': forwarded };
  const request = { headers, socket: { remoteAddress: '127.0.0.1' } };
  expect(base.of(request as unknown as IncomingMessage)).toBe(`http://h${prefix}`);
});
