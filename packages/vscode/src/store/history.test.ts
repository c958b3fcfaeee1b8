// Covers what the history asks a server for.
import { RefusedError } from '@pressroom/api/client';
import { expect, test } from 'vitest';
import { createHistory } from './history.ts';

const CONTENT = { server: 'https://s.example', guid: 'g' };

test('a variable that the server refuses is named, not counted', async () => {
  const refusal = new RefusedError({
    operation: 'updateEnvironment',
    server: CONTENT.server,
    status: 400,
    code: 25,
    payload: null,
    message: 'body[1].value must be at most 65,536 characters',
  });
  const client = { updateEnvironment: () => Promise.reject(refusal), close: async () => undefined };
  const history = createHistory(
    { get: async () => 'key' } as never,
    () => client as never,
    {} as never,
    async () => new Map(),
  );
  const values = [
    { name: 'GOOD', value: '1' },
    { name: 'LONG', value: 'x'.repeat(65_537) },
  ];
  await expect(history.setVariables(CONTENT, values)).rejects.toThrow(
    'The value of LONG must be at most 65,536 characters',
  );
});
