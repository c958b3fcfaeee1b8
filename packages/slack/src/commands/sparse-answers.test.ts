// Covers every command against servers that leave out all fields but ids, or give null: none has an unexpected error.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@pressroom/api/client';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { SPARSE_GUID, startSparseServer } from '../../../api/src/client/testing/sparse-server.ts';
import type { Message } from '../blocks/blocks.ts';
import type { Services } from '../services.ts';
import { createKeyring } from '../store/keyring.ts';
import { openStore } from '../store/store.ts';
import { TEXTS } from '../texts/languages.ts';
import { execute } from './execute.ts';

const LINES = [
  'status',
  `status ${SPARSE_GUID}`,
  'deploys',
  `deploys ${SPARSE_GUID}`,
  `deploy ${SPARSE_GUID}`,
  `rollback ${SPARSE_GUID}`,
  `render ${SPARSE_GUID}`,
  `releases ${SPARSE_GUID}`,
  `approve ${SPARSE_GUID}`,
  `changes ${SPARSE_GUID}`,
  `lock ${SPARSE_GUID} --reason x`,
  `unlock ${SPARSE_GUID}`,
  `logs ${SPARSE_GUID}`,
  'logs 7',
  'usage',
  `usage ${SPARSE_GUID} --by user`,
  'user ada',
  'user ada@example.com',
  'user "ada lovelace"',
  `who ${SPARSE_GUID}`,
  'requests',
  `subscribe ${SPARSE_GUID}`,
  'subscribe --tag x',
  'subscribe --owner ada',
  'subscribe --owner me',
  'subscriptions',
  `unsubscribe ${SPARSE_GUID}`,
  'audit',
  'audit --user ada',
  'status sales-report',
];

test.each([
  ['leaves out', false],
  ['gives null for', true],
])(
  'a server that %s all but ids',
  async (_what, isNull) => {
    using server = await startSparseServer(isNull);
    const directory = await mkdtemp(join(tmpdir(), 'pressroom-sparse-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    await using store = await openStore(
      join(directory, 'bot.sqlite'),
      createKeyring(`a:${randomBytes(32).toString('base64')}`),
    );
    await using client = createClient({ url: server.url, apiKey: 'k3y', retries: 0 });
    const broken: string[] = [];
    let line = '';
    const log = pino(
      { level: 'warn', serializers: { err: String } },
      {
        write: (text) => {
          const { err = '' } = JSON.parse(text) as { err?: string };
          if (/TypeError|RangeError|SyntaxError/.test(err)) broken.push(`${line}: ${err}`);
        },
      },
    );
    const shown: Message[] = [];
    const slack = new Proxy(
      {
        postEphemeral: async (...[, , , message]: [string, string, string, Message]) =>
          void shown.push(message),
      },
      {
        get: (known, name) =>
          Reflect.get(known, name) ?? (() => Promise.resolve({ email: null, name: 'ada' })),
      },
    );
    const other = new Proxy({}, { get: () => () => Promise.resolve({ complete: true }) });
    const services = {
      store,
      slack,
      log,
      clients: {
        server: server.url,
        guest: null,
        service: null,
        ofLink: async () => ({ client, link: { server_user: SPARSE_GUID } }),
      },
      languages: { ofPerson: async () => TEXTS.en, ofChannel: async () => TEXTS.en },
      announcer: other,
      alerts: other,
      now: Date.now,
      command: '/pressroom',
      unlinked: [],
    } as unknown as Services;
    for (line of LINES) {
      const invoker = { team: 'T1', user: 'U1', name: 'ada', channel: 'C1' };
      await execute(services, { line, invoker, responseUrl: null, wait: async () => undefined });
    }
    expect(broken).toEqual([]);
    expect(shown.length).toBeGreaterThanOrEqual(LINES.length);
  },
  60_000,
);
