// Covers what is sent to remove contradictory cookies.
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { admitCookies, clearTossed } from './own-cookies.ts';

function clearedFor(cookie: string, path: string, host: string): string[] {
  const request = { headers: { cookie } } as IncomingMessage;
  return clearTossed(admitCookies(request, false, false), path, host, false);
}

test('removes a contradictory cookie wherever a page of content can have set it', () => {
  const cleared = clearedFor('pressroom-session=a; pressroom-session=b', '/content/x?y', 'a.example.com:80');
  expect(cleared.toSorted()).toEqual(
    [
      ...['/content', '/content/', '/content/x', '/content/x/'].map((path) => `Path=${path}`),
      ...['a.example.com', 'example.com'].flatMap((domain) =>
        ['/', '/content', '/content/x'].map((path) => `Domain=${domain}; Path=${path}`),
      ),
    ]
      .map((where) => `pressroom-session=; ${where}; Max-Age=0`)
      .toSorted(),
  );
});

test('the longest request with such cookies gets a short response', () => {
  const pairs = Array.from({ length: 650 }, (_, i) => `pressroom-sign-in-${i}=a;pressroom-sign-in-${i}=b`);
  const host = Array(127).fill('a').join('.');
  for (const path of ['/a/b/c/d/e/f/g/h/i', `/${'a'.repeat(8000)}/b/c/d/e/f/g/h/i`])
    expect(clearedFor(pairs.join(';'), path, host).join('').length).toBeLessThan(500_000);
});
