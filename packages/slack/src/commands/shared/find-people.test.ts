// Covers the search for people on servers that leave out addresses and names, and not by an address that
// somebody else claims.
import type { User } from '@pressroom/api/contract';
import { expect, test } from 'vitest';
import type { Run } from '../command.ts';
import { findPeople } from './find-people.ts';

const USERS = [
  {
    guid: '4',
    username: 'mallory',
    email: 'ada@example.com',
    confirmed: false,
    active_time: '2026-11-28T00:00:00Z',
  },
  { guid: '5', username: 'new', email: 'new@example.com', confirmed: false, active_time: null },
  { guid: '6', username: 'pia@example.com', email: '' },
  { guid: '1', username: 'bare' },
  { guid: '2', username: 'nameless', email: null, first_name: null, last_name: null },
  { guid: '3', username: 'ada', email: 'Ada@example.com', first_name: 'Ada', last_name: 'Lovelace' },
] as unknown as User[];

test.each([
  ['ada@example.com', ['ada']],
  ['new@example.com', ['new']],
  ['pia@example.com', ['pia@example.com']],
  ['BARE', ['bare']],
  ['ada lovelace', ['ada']],
  ['null nameless', []],
])('finds %s', async (words, expected) => {
  const client = {
    each: { getUsers: () => USERS },
    getUsers: () => Promise.resolve({ results: USERS, total: USERS.length }),
  };
  const run = { client, signal: new AbortController().signal } as unknown as Run;
  const found = await findPeople(run, words);
  expect(found?.found.map(({ username }) => username)).toEqual(expected);
});

test('a mention does not find an account that has the person’s address as its username', async () => {
  const run = {
    client: {
      each: { getUsers: () => USERS },
      getUsers: () => Promise.resolve({ results: USERS, total: USERS.length }),
    },
    invoker: { team: 'T1' },
    services: {
      store: { findLink: async () => null },
      slack: { user: async () => ({ name: 'Pia', email: 'pia@example.com' }) },
    },
    signal: new AbortController().signal,
  } as unknown as Run;
  expect(await findPeople(run, '<@U2>')).toEqual({ words: 'Pia', found: [], total: 0 });
});

test('counts all that match, although the server lists only the first page of a prefix', async () => {
  const getUsers = () => Promise.resolve({ results: USERS, total: 1200 });
  const run = { client: { getUsers }, signal: new AbortController().signal } as unknown as Run;
  expect(await findPeople(run, 'n')).toMatchObject({ found: USERS, total: 1200 });
});
