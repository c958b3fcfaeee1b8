import type { Client } from '@pressroom/api/client';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import type { Services } from '../services.ts';
import { TEXTS } from '../texts/languages.ts';
import { tryLink } from './linking.ts';

test('a window is answered before the server has revoked the key of the earlier link', async () => {
  const deleteApiKey = vi.fn<Client['deleteApiKey']>(() => new Promise(() => undefined));
  const before = {
    client: { deleteApiKey } as unknown as Client,
    link: { key: 'earlier-key', key_id: '7', server_user: 'u', slack_user: 'U1' },
  };
  const user = { guid: 'u', username: 'ada' };
  const saveLink = vi.fn<Services['store']['saveLink']>();
  const services = {
    clients: {
      trial: () => ({ getCurrentUser: async () => user, [Symbol.asyncDispose]: async () => undefined }),
      ofLink: async () => before,
      forget: () => undefined,
    },
    store: { saveLink },
    log: pino({ level: 'silent' }),
  } as unknown as Services;
  const invoker = { team: 'T1', user: 'U1', name: 'ada', channel: '' };
  expect(await tryLink(services, invoker, 'another-key', TEXTS.en)).toEqual({ user });
  expect(saveLink).toHaveBeenCalledOnce();
  expect(deleteApiKey.mock.calls[0]?.[0]).toEqual({ guid: 'u', id: '7' });
});
