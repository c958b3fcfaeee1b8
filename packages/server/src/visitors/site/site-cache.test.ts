// The bound on the cache, and what a redeploy forgets.
import { describe, expect, it } from 'vitest';
import { createSiteCache, type KnownFile } from './site-cache.ts';

const file = (bytes: number): KnownFile => ({
  realPath: '/x',
  body: Buffer.alloc(bytes),
  text: null,
  size: bytes,
  etag: '"x"',
  lastModified: '',
  modifiedSeconds: 0,
  isPage: false,
  headers: [],
});

describe('the site cache', () => {
  it('never accounts for more than its bound', () => {
    const cache = createSiteCache(100_000);
    for (let i = 0; i < 500; i++) {
      cache.put(`/root${i % 5}`, '1', `/f${i}`, file((i * 997) % 20_000));
      if (i % 3 === 0) cache.get('/root0', '1', '/f0');
      expect(cache.bytes()).toBeLessThanOrEqual(100_000);
    }
    expect(cache.bytes()).toBeGreaterThan(50_000);
  });

  it('evicts what was not asked for before what was', () => {
    const cache = createSiteCache(50_000);
    cache.put('/r', '1', '/hot', file(10_000));
    cache.put('/r', '1', '/cold', file(10_000));
    for (let i = 0; i < 20; i++) {
      expect(cache.get('/r', '1', '/hot')).toBeDefined();
      cache.put('/r', '1', `/new${i}`, file(10_000));
    }
    expect(cache.get('/r', '1', '/hot')).toBeDefined();
    expect(cache.get('/r', '1', '/cold')).toBeUndefined();
  });

  it('does not take what is larger than itself, and keeps what it has', () => {
    const cache = createSiteCache(50_000);
    cache.put('/r', '1', '/a', file(100));
    cache.put('/r', '1', '/b', file(50_000));
    expect(cache.get('/r', '1', '/b')).toBeUndefined();
    expect(cache.get('/r', '1', '/a')).toBeDefined();
  });

  it('counts entries without a body too', () => {
    const cache = createSiteCache(50_000);
    for (let i = 0; i < 1000; i++) cache.put('/r', '1', `/f${i}`, { ...file(0), body: null });
    expect(cache.bytes()).toBeLessThanOrEqual(50_000);
  });

  it('forgets one root by drop, and gives its bytes back', () => {
    const cache = createSiteCache(50_000);
    cache.put('/one', '1', '/a', file(100));
    const before = cache.bytes();
    cache.put('/two', '1', '/a', file(100));
    cache.drop('/two');
    expect(cache.get('/two', '1', '/a')).toBeUndefined();
    expect(cache.get('/one', '1', '/a')).toBeDefined();
    expect(cache.bytes()).toBe(before);
  });

  it('keeps one version of a root', () => {
    const cache = createSiteCache(50_000);
    cache.put('/r', '1', '/a', file(100));
    expect(cache.get('/r', '2', '/a')).toBeUndefined();
    cache.put('/r', '2', '/b', file(100));
    expect(cache.get('/r', '1', '/a')).toBeUndefined();
    expect(cache.get('/r', '2', '/a')).toBeUndefined();
    expect(cache.get('/r', '2', '/b')).toBeDefined();
  });
});
