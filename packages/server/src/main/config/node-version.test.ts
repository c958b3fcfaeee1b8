// Covers the message for old Node.js versions, shown before any file that they cannot parse is loaded.
import { expect, it } from 'vitest';
import { tooOld } from './node-version.ts';

it.each(['22.19.0', '24.0.0', '24.6.9'])('rejects Node.js %s as too old', (version) => {
  expect(tooOld(version)).toBe(`Node.js ${version} is too old: install 24.7 or newer`);
});

it.each(['24.7.0', '24.21.0', '25.0.0', process.versions.node])('accepts Node.js %s', (version) => {
  expect(tooOld(version)).toBeNull();
});
