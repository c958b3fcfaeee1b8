// Who gets a canary: new sessions by chance, and whoever began with it.
import { expect, test } from 'vitest';
import { bundleCookie, chooseSide } from './choose-side.ts';

const CANARY = { id: 3, bundle_id: 7, share: 10, keptUntil: null };
const asked = (cookie?: string) => ({ headers: { ...(cookie !== undefined && { cookie }) } });
const PAGE = { hasPages: true, isPage: true, remembers: true };
const PART = { ...PAGE, isPage: false };
const API = { hasPages: false, isPage: true, remembers: false };
const [low, high] = [() => 0.0999, () => 0.1];

test('a page without a cookie begins a session: by chance, and a cookie says with what', () => {
  expect(chooseSide(asked(), CANARY, PAGE, low)).toEqual({ side: 'canary', mark: '3.7' });
  expect(chooseSide(asked(), CANARY, PAGE, high)).toEqual({ side: 'live', mark: '3.live' });
});

test('whoever began with a bundle stays with it', () => {
  for (const about of [PAGE, PART]) {
    const own = asked('a=1; pressroom-bundle=3.7');
    expect(chooseSide(own, CANARY, about, high)).toEqual({ side: 'canary', mark: null });
    const other = asked('pressroom-bundle=3.live');
    expect(chooseSide(other, CANARY, about, low)).toEqual({ side: 'live', mark: null });
  }
});

test('a session from before the canary stays with what is live', () => {
  const before = asked('pressroom-process=abc');
  expect(chooseSide(before, CANARY, PAGE, low)).toEqual({ side: 'live', mark: '3.live' });
});

test('once it has ended, open pages stay there; the next page, and everybody new, is of what is live', () => {
  const ended = { ...CANARY, share: 0 };
  const own = asked('pressroom-bundle=3.7');
  expect(chooseSide(own, ended, PART, low).side).toBe('canary');
  expect(chooseSide(own, ended, PAGE, low)).toEqual({ side: 'live', mark: null });
  expect(chooseSide(asked(), ended, PAGE, () => 0)).toEqual({ side: 'live', mark: null });
});

test.each(['2.7', '3.8', '3.', '.7', 'canary', '3.7x', '%33.7'])(
  'a cookie of another canary, or of none, chooses nothing (%s)',
  (value) => {
    const forged = asked(`pressroom-bundle=${value}`);
    expect(chooseSide(forged, CANARY, PART, low)).toEqual({ side: 'live', mark: null });
    expect(chooseSide(forged, CANARY, PAGE, high)).toEqual({ side: 'live', mark: '3.live' });
  },
);

test('requests to an API are shared out one by one, without a cookie', () => {
  expect(chooseSide(asked('pressroom-bundle=3.live'), CANARY, API, low)).toEqual({
    side: 'canary',
    mark: null,
  });
  expect(chooseSide(asked(), CANARY, API, high)).toEqual({ side: 'live', mark: null });
  expect(chooseSide(asked(), { ...CANARY, share: 0 }, API, () => 0).side).toBe('live');
});

test('the cookie is for the content only, and over https for https only', () => {
  expect(bundleCookie('3.7', 'http://x.example/content/a')).toBe(
    'pressroom-bundle=3.7; Path=/content/a; HttpOnly; SameSite=Lax',
  );
  expect(bundleCookie('3.7', 'https://x.example/content/a')).toMatch(/; Secure$/);
});
