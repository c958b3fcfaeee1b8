import { expect, test } from 'vitest';
import { openApi } from './openapi.ts';

test('uses regular expressions of other languages, too', () => {
  const text = JSON.stringify(openApi());
  expect(text).toContain('"pattern":');
  // An empty negated class is JavaScript's alone.
  expect(text).not.toContain('[^]');
});

test('names the status 204 of a file that may be missing', () => {
  const { paths } = openApi() as { paths: Record<string, { get: { responses: object } }> };
  expect(paths['/applications/{guid}/image']?.get.responses).toHaveProperty('204');
  expect(paths['/v1/content/{guid}/thumbnail']?.get.responses).not.toHaveProperty('204');
});
