import { expect, test } from 'vitest';
import { createCookieJar } from './cookies.ts';

test('expired cookies make room for new ones', () => {
  let now = 0;
  const jar = createCookieJar({ basePath: '', now: () => now });
  jar.store(Array.from({ length: 50 }, (_, i) => `old${i}=x; Max-Age=1`));
  now = 2000;
  jar.store(['sticky=server2']);
  expect(jar.header()).toBe('sticky=server2');
});
