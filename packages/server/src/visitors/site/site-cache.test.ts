// Covers the limit of the cache, and what a redeploy drops from it.
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

describe('Site cache', () => {
  it('never exceeds its limit of bytes', () => {
    const cache = createSiteCache(100_000);
    for (let i = 0; i < 500; i++) {
      cache.put(`/root${i % 5}`, '1', `/f${i}`, file((i * 997) % 20_000));
      if (i % 3 === 0) cache.get('/root0', '1', '/f0');
      expect(cache.bytes()).toBeLessThanOrEqual(100_000);
    }
    expect(cache.bytes()).toBeGreaterThan(50_000);
  });

  it('evicts unrequested entries before requested ones', () => {
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

  it('rejects an entry larger than itself and keeps the others', () => {
    const cache = createSiteCache(50_000);
    cache.put('/r', '1', '/a', file(100));
    cache.put('/r', '1', '/b', file(50_000));
    expect(cache.get('/r', '1', '/b')).toBeUndefined();
    expect(cache.get('/r', '1', '/a')).toBeDefined();
  });

  it('counts entries without a body', () => {
    const cache = createSiteCache(50_000);
    for (let i = 0; i < 1000; i++) cache.put('/r', '1', `/f${i}`, { ...file(0), body: null });
    expect(cache.bytes()).toBeLessThanOrEqual(50_000);
  });

  it('drop removes one root and frees its bytes', () => {
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
