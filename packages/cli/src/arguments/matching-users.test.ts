import type { Client } from '@pressroom/api/client';
import { expect, test } from 'vitest';
import type { CommandContext } from '../command.ts';
import { matchingUsers } from './matching-users.ts';

const ADA = { username: 'ada' };

test.each([
  [1200, ['1200 users match, of whom the server lists 1: use a longer PREFIX.']],
  [1, []],
])('of %i users that match, says how many are missing', async (total, expected) => {
  const notes: string[] = [];
  const client = { getUsers: () => Promise.resolve({ results: [ADA], total }) } as unknown as Client;
  const context = { json: false, terminal: { note: (line: string) => notes.push(line) } };
  const found = await matchingUsers(context as unknown as CommandContext, client, { prefix: 'a' });
  expect([found, notes]).toEqual([[ADA], expected]);
});
