// Covers which sessions get a canary: new ones by chance, and those that began with it.
import { expect, test } from 'vitest';
import { bundleCookie, chooseSide } from './choose-side.ts';

const CANARY = { id: 3, bundle_id: 7, share: 10, keptUntil: null };
const asked = (cookie?: string) => ({ headers: { ...(cookie !== undefined && { cookie }) } });
const PAGE = { hasPages: true, isPage: true, remembers: true };
const PART = { ...PAGE, isPage: false };
const API = { hasPages: false, isPage: true, remembers: false };
const [low, high] = [() => 0.0999, () => 0.1];

test('assigns a page request without a cookie to a random side and sets a cookie', () => {
  expect(chooseSide(asked(), CANARY, PAGE, low)).toEqual({ side: 'canary', mark: '3.7' });
  expect(chooseSide(asked(), CANARY, PAGE, high)).toEqual({ side: 'live', mark: '3.live' });
});

test('keeps a session on the bundle that its cookie names', () => {
  for (const about of [PAGE, PART]) {
    const own = asked('a=1; pressroom-bundle=3.7');
    expect(chooseSide(own, CANARY, about, high)).toEqual({ side: 'canary', mark: null });
    const other = asked('pressroom-bundle=3.live');
    expect(chooseSide(other, CANARY, about, low)).toEqual({ side: 'live', mark: null });
  }
});

test('keeps a session from before the canary on the live bundle', () => {
  const before = asked('pressroom-process=abc');
  expect(chooseSide(before, CANARY, PAGE, low)).toEqual({ side: 'live', mark: '3.live' });
});

test('after the canary ends, keeps open pages on it and serves new pages from the live bundle', () => {
  const ended = { ...CANARY, share: 0 };
  const own = asked('pressroom-bundle=3.7');
  expect(chooseSide(own, ended, PART, low).side).toBe('canary');
  expect(chooseSide(own, ended, PAGE, low)).toEqual({ side: 'live', mark: null });
  expect(chooseSide(asked(), ended, PAGE, () => 0)).toEqual({ side: 'live', mark: null });
});

test.each(['2.7', '3.8', '3.', '.7', 'canary', '3.7x', '%33.7'])(
  'ignores a cookie of another canary or an invalid one (%s)',
  (value) => {
    const forged = asked(`pressroom-bundle=${value}`);
    expect(chooseSide(forged, CANARY, PART, low)).toEqual({ side: 'live', mark: null });
    expect(chooseSide(forged, CANARY, PAGE, high)).toEqual({ side: 'live', mark: '3.live' });
  },
);

test('distributes API requests one by one, without a cookie', () => {
  expect(chooseSide(asked('pressroom-bundle=3.live'), CANARY, API, low)).toEqual({
    side: 'canary',
    mark: null,
  });
  expect(chooseSide(asked(), CANARY, API, high)).toEqual({ side: 'live', mark: null });
  expect(chooseSide(asked(), { ...CANARY, share: 0 }, API, () => 0).side).toBe('live');
});

test('limits the cookie to the path of the content and, over HTTPS, to HTTPS', () => {
  expect(bundleCookie('3.7', 'http://x.example/content/a')).toBe(
    'pressroom-bundle=3.7; Path=/content/a; HttpOnly; SameSite=Lax',
  );
  expect(bundleCookie('3.7', 'https://x.example/content/a')).toMatch(/; Secure$/);
});
