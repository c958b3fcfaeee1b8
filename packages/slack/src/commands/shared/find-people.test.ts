// Covers the search for people on servers that leave out addresses and names.
import type { User } from '@pressroom/api/contract';
import { expect, test } from 'vitest';
import type { Run } from '../command.ts';
import { findPeople } from './find-people.ts';

const USERS = [
  { guid: '1', username: 'bare' },
  { guid: '2', username: 'nameless', email: null, first_name: null, last_name: null },
  { guid: '3', username: 'ada', email: 'Ada@example.com', first_name: 'Ada', last_name: 'Lovelace' },
] as unknown as User[];

test.each([
  ['ada@example.com', ['ada']],
  ['BARE', ['bare']],
  ['ada lovelace', ['ada']],
  ['null nameless', []],
])('finds %s', async (words, expected) => {
  const client = {
    each: { getUsers: () => USERS },
    getUsers: () => Promise.resolve({ results: USERS }),
  };
  const run = { client, signal: new AbortController().signal } as unknown as Run;
  const found = await findPeople(run, words);
  expect(found?.found.map(({ username }) => username)).toEqual(expected);
});
