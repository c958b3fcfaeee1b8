// Checks that the nginx configuration of docs/secure/sign-in.md allows the requests that programs send without an identity.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from '@pressroom/api/contract';
import { expect, test } from 'vitest';

const page = readFileSync(join(import.meta.dirname, '../../docs/secure/sign-in.md'), 'utf8');

/** Not needed behind a proxy: passwords and other sign-in. The page itself says what `connectUser()` of R needs. */
const NOT_AT_A_PROXY = ['resetPassword', 'requestPasswordReset', 'bootstrap', 'createToken'];

test('the documented proxy passes only operations that anyone may call', () => {
  const location = RegExp(/location ~ (\S+) \{/.exec(page)?.[1] ?? 'no location');
  const passes = Object.values(operations).filter(({ path }) =>
    location.test(`/__api__${path.replaceAll(/\{\w+\}/g, 'x')}`),
  );
  expect(passes.map(({ access }) => access)).toEqual(passes.map(() => 'anyone'));
  const open = Object.values(operations).filter(({ access }) => access === 'anyone');
  expect(open.map(({ operationId }) => operationId).filter((id) => !NOT_AT_A_PROXY.includes(id))).toEqual(
    passes.map(({ operationId }) => operationId),
  );
});
