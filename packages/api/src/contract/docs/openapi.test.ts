import { expect, test } from 'vitest';
import { openApi } from './openapi.ts';

test('uses regular expressions of other languages, too', () => {
  const text = JSON.stringify(openApi());
  expect(text).toContain('"pattern":');
  // An empty negated class is JavaScript's alone.
  expect(text).not.toContain('[^]');
});
