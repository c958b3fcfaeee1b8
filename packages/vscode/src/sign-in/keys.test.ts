import { expect, test } from 'vitest';
import { createStores } from '../testing/fake-vscode.ts';
import { createKeys } from './keys.ts';

const account = (server: string) => ({ server, username: 'ada', guid: 'g' });

function setup() {
  const { secrets, state } = createStores();
  return { keys: createKeys(secrets, state), state };
}

test('returns a key only for the server it was stored for', async () => {
  const { keys } = setup();
  await keys.store(account('https://a.example.com/connect/'), 'KEY');
  expect(await keys.get('https://a.example.com/connect')).toBe('KEY');
  for (const other of [
    'https://a.example.com',
    'http://a.example.com/connect',
    'https://a.example.com:8443/connect',
    'https://a.example.com.evil.example/connect',
    'https://a.example.com/connect-2',
  ]) {
    expect(await keys.get(other), other).toBeUndefined();
  }
});

test('lists an account once, without its key, the newest first, until it is removed', async () => {
  const { keys, state } = setup();
  await keys.store(account('https://a.example.com'), 'ONE');
  await keys.store(account('https://b.example.com'), 'TWO');
  await keys.store(account('https://a.example.com/'), 'THREE');
  expect(keys.accounts().map(({ server }) => server)).toEqual([
    'https://a.example.com',
    'https://b.example.com',
  ]);
  expect(JSON.stringify(state.keys().map((key) => state.get(key)))).not.toMatch(/ONE|TWO|THREE/);
  await keys.remove('https://a.example.com');
  expect(await keys.get('https://a.example.com')).toBeUndefined();
  expect(keys.accounts()).toHaveLength(1);
});

test('reports what another window signs in to or out of, and its own changes once', async () => {
  const { secrets, state } = createStores();
  const [here, there] = [createKeys(secrets, state), createKeys(secrets, state)];
  const seen = { here: [] as unknown[], there: [] as unknown[] };
  here.onDidChange((event) => seen.here.push(event));
  there.onDidChange((event) => seen.there.push([event, there.accounts().length]));
  await here.store(account('https://a.example.com'), 'ONE');
  await here.store(account('https://a.example.com'), 'TWO');
  await here.remove('https://a.example.com');
  await secrets.store('other', 'secret');
  const added = { added: account('https://a.example.com') };
  expect(seen.here).toEqual([added, added, { removed: account('https://a.example.com') }]);
  // The list of accounts is complete by then.
  expect(seen.there).toEqual([
    [{}, 1],
    [{}, 1],
    [{}, 0],
  ]);
});

test('reports what another window does after changes of its own that changed no secret', async () => {
  const { secrets, state } = createStores();
  const [here, there] = [createKeys(secrets, state), createKeys(secrets, state)];
  const [a, b] = [account('https://a.example.com'), account('https://b.example.com')];
  await here.store(a, 'ONE');
  await here.store(a, 'ONE');
  await here.remove(b.server);
  const seen: unknown[] = [];
  here.onDidChange((event) => seen.push(event));
  await there.remove(a.server);
  await there.store(b, 'TWO');
  await expect.poll(() => seen).toEqual([{}, {}]);
});

test('a secret that cannot be read counts as changed, and its reader learns why', async () => {
  const { secrets, state } = createStores();
  const locked = { ...secrets, get: () => Promise.reject(new Error('The keyring is locked.')) };
  const keys = createKeys(locked, state);
  const seen: unknown[] = [];
  keys.onDidChange((event) => seen.push(event));
  await createKeys(secrets, state).store(account('https://a.example.com'), 'ONE');
  await expect.poll(() => seen).toEqual([{}]);
  await expect(keys.get('https://a.example.com')).rejects.toThrow('locked');
});
