import { expect, test } from 'vitest';
import { responseHeaders } from './response-headers.ts';

const cookiesOf = (cookie: string, isAlone: boolean) =>
  responseHeaders(
    { 'set-cookie': [cookie] },
    { url: 'https://host.example.com/content/x', isAlone, policy: null },
  )['set-cookie'];

test('moves cookies below the content path and removes their domain', () => {
  expect(cookiesOf('a=1; Domain=example.com; Path=/; Secure', true)).toEqual([
    'a=1; Path=/content/x/; Secure',
  ]);
  expect(cookiesOf('a=1', false)).toEqual(['a=1; Path=/content/x/']);
});

test('keeps __Host- cookies only when the content is alone on its origin', () => {
  const cookie = '__Host-csrf=1; Path=/; Secure; HttpOnly';
  expect(cookiesOf(cookie, true)).toEqual([cookie]);
  expect(cookiesOf(cookie, false)).toEqual(['__Host-csrf=1; Path=/content/x/; Secure; HttpOnly']);
  expect(cookiesOf('__Host-pressroom-content=1; Path=/; Secure', true)).toEqual([]);
});

test('what is for one person is for no cache in front, whatever the application says', () => {
  const cachedAs = (headers: Record<string, string>, isPersonal: boolean) =>
    responseHeaders(headers, { url: 'https://host.example.com', isAlone: true, policy: null, isPersonal });
  const said = { 'cache-control': 'Public, S-MaxAge=9, max-age=60', 'cdn-cache-control': 'max-age=9' };
  expect(cachedAs(said, true)).toEqual({ 'cache-control': 'private, max-age=60' });
  expect(cachedAs({}, true)).toEqual({ 'cache-control': 'private' });
  expect(cachedAs(said, false)).toEqual(said);
});
