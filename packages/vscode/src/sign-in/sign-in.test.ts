import type { Client } from '@pressroom/api/client';
import { expect, test } from 'vitest';
import { window } from 'vscode';
import { createStores, EventEmitter, recorded } from '../testing/fake-vscode.ts';
import { createKeys } from './keys.ts';
import { createSignIn } from './sign-in.ts';

test('Escape while a key is checked cancels the sign-in', async () => {
  const { secrets, state } = createStores();
  const keys = createKeys(secrets, state);
  const answered = Promise.withResolvers<object>();
  const asked = Promise.withResolvers<undefined>();
  const getCurrentUser = () => {
    asked.resolve(undefined);
    return answered.promise;
  };
  const client = { getCurrentUser, close: async () => undefined } as unknown as Client;
  const [accept, hide] = [new EventEmitter<undefined>(), new EventEmitter<undefined>()];
  const ignored = new EventEmitter<never>().event;
  const box = {
    value: '',
    onDidAccept: accept.event,
    onDidHide: hide.event,
    onDidChangeValue: ignored,
    onDidTriggerButton: ignored,
    show: () => undefined,
    dispose: () => undefined,
  };
  Object.assign(window, { createInputBox: () => box });
  const done = createSignIn(keys, () => client, state).key('https://connect.example.com');
  box.value = 'KEY';
  accept.fire(undefined);
  await asked.promise;
  hide.fire(undefined);
  expect(await done).toBe(false);
  answered.resolve({ username: 'ada', guid: 'g', user_role: 'publisher' });
  await new Promise((resolve) => setImmediate(resolve));
  expect(keys.accounts()).toEqual([]);
});

test('a first publish offers the servers that the user is signed in to, the last one first', async () => {
  const { secrets, state } = createStores();
  const keys = createKeys(secrets, state);
  const signIn = createSignIn(keys, () => ({}) as Client, state);
  const [ours, theirs] = ['https://ours.example.com', 'https://theirs.example.com'];
  for (const server of [ours, theirs]) await keys.store({ server, username: 'ada', guid: 'g' }, 'KEY');
  recorded.reset();
  recorded.choose.push('ours');
  expect(await signIn.server({ title: 'Publish x', total: 3, known: true })).toBe(ours);
  expect(recorded.picks).toMatchObject([
    {
      rows: [
        { label: 'theirs.example.com' },
        { label: 'ours.example.com' },
        { label: '$(add) Another server…' },
      ],
    },
  ]);
  // Escape.
  expect(await signIn.server({ title: 'Publish x', total: 3, known: true })).toBeUndefined();
});
