import { connect } from 'node:net';
import { freePort } from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { messageOf, reasonOf } from './errors.ts';

test('messageOf lists the failure of each address of a host', async () => {
  const port = await freePort();
  const both = [
    { address: '127.0.0.1', family: 4 },
    { address: '127.0.0.2', family: 4 },
  ];
  const failed = await new Promise<Error>((resolve) => {
    const lookup = (_name: string, _options: unknown, respond: (error: null, found: typeof both) => void) =>
      respond(null, both);
    connect({ host: 'db.example', port, lookup, autoSelectFamily: true }).once('error', resolve);
  });
  expect(failed.message).toBe('');
  expect(messageOf(failed)).toBe(
    `connect ECONNREFUSED 127.0.0.1:${port}; connect ECONNREFUSED 127.0.0.2:${port}`,
  );
});

test.each([
  ['EACCES', 'no: x. Run it as root, or as the account that Server.DataDir belongs to.'],
  ['EPERM', 'no: x. Run it as root, or as the account that Server.DataDir belongs to.'],
  ['ENOENT', 'no: x'],
])('reasonOf %s says who may', (code, said) => {
  expect(reasonOf(Object.assign(new Error('no: x'), { code }))).toBe(said);
});
