// Covers which accounts content may run as: never root under any name (issue 13, low), nor the server's.
import { expect, test } from 'vitest';
import { loadConfig } from '../main/config/load-config.ts';
import { mayRunAs } from './rules.ts';

const config = loadConfig({}, { 'Applications.ProhibitedRunAs': 'root,postgres' });

test.each([
  ['root', 0, 0, false],
  ['toor', 0, 0, false],
  ['a name of its own with the group of root', 1234, 0, false],
  ['postgres', 110, 110, false],
  ['pressroom', 999, 999, false],
  ['ada', 1234, 1234, true],
])('%s (uid %d, gid %d) may run content: %s', (name, uid, gid, allowed) => {
  expect(mayRunAs({ name, uid, gid }, config)).toBe(allowed);
});
