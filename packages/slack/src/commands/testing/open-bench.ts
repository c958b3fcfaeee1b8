// For tests of one command: it runs as typed, with a real store, on a client that answers what the test says.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RefusedError, type Client, type ContentItem } from '@pressroom/api/client';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { Message } from '../../blocks/blocks.ts';
import type { Services } from '../../services.ts';
import { createKeyring } from '../../store/keyring.ts';
import { openStore } from '../../store/store.ts';
import { TEXTS } from '../../texts/languages.ts';
import { execute } from '../execute.ts';

export const CONTENT = {
  guid: '11111111-2222-4333-8444-555555555555',
  name: 'sales-report',
  title: 'Sales',
  url: 'https://content.example.com/content/11111111-2222-4333-8444-555555555555/',
  role: 'owner',
  bundle_id: '7',
  owner_guid: 'ada-guid',
} as ContentItem;
export const NOW = Date.parse('2026-03-04T12:00:00Z');

export interface Bench {
  readonly store: Services['store'];
  /** Arguments of the calls of an operation. */
  called(operation: string): unknown[];
  /** What the bot would post elsewhere. */
  readonly alerts: Parameters<Services['alerts']['send']>[0][];
  readonly announced: Parameters<Services['announcer']['announce']>[0][];
  /** Types a line as Ada; the response. */
  say(line: string): Promise<Message>;
}

export interface BenchOptions {
  /** Responses by operation, or functions of the arguments; others are none of a test. */
  readonly server?: Readonly<Record<string, unknown>>;
  readonly isLinked?: boolean;
  /** ID of the key that signing in made. */
  readonly keyId?: string | null;
}

export async function openBench({
  server = {},
  isLinked = true,
  keyId = null,
}: BenchOptions = {}): Promise<Bench> {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-command-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const keyring = createKeyring(`a:${randomBytes(32).toString('base64')}`);
  const store = await openStore(join(directory, 'bot.sqlite'), keyring, () => NOW);
  onTestFinished(() => store[Symbol.asyncDispose]());
  const place = { team: 'T1', slack_user: 'U1', slack_name: 'ada' };
  if (isLinked)
    await store.saveLink({ ...place, server_user: 'ada-guid', username: 'ada', key: 'a-key', key_id: keyId });
  const calls: { operation: string; args: unknown }[] = [];
  const answers: Record<string, unknown> = {
    listContent: [CONTENT],
    getContent: CONTENT,
    getCurrentUser: { guid: 'ada-guid', username: 'ada', user_role: 'publisher' },
    ...server,
  };
  const client = new Proxy({} as Client, {
    get: (_target, operation: string) => async (args: unknown) => {
      calls.push({ operation, args });
      if (!(operation in answers)) throw new Error(`${operation} is none of this test`);
      const answer = answers[operation];
      return typeof answer === 'function' ? (answer as (given: unknown) => unknown)(args) : answer;
    },
  });
  const shown: Message[] = [];
  const alerts: Bench['alerts'] = [];
  const announced: Bench['announced'] = [];
  const services = {
    store,
    slack: {
      postEphemeral: async (...[, , , message]: [string, string, string, Message]) =>
        void shown.push(message),
      canPost: async () => true,
      user: async () => ({ name: 'ada', email: 'ada@example.com', zone: 'UTC' }),
    },
    clients: {
      server: 'https://content.example.com',
      guest: null,
      service: null,
      forget: () => undefined,
      async ofLink(team: string, user: string) {
        const link = await store.findLink(team, user);
        return link && { client, link };
      },
    },
    languages: { ofPerson: async () => TEXTS.en, ofChannel: async () => TEXTS.en },
    alerts: { send: async (alert: Bench['alerts'][number]) => void alerts.push(alert) },
    announcer: {
      announce: async (notice: Bench['announced'][number]) => ({ notice: void announced.push(notice) }),
    },
    log: pino({ level: 'silent' }),
    now: () => NOW,
    command: '/pressroom',
    unlinked: [],
  } as unknown as Services;
  return {
    store,
    alerts,
    announced,
    called: (operation) => calls.filter((call) => call.operation === operation).map(({ args }) => args),
    async say(line) {
      const invoker = { team: 'T1', user: 'U1', name: 'ada', channel: 'C1' };
      await execute(services, { line, invoker, responseUrl: null, wait: async () => undefined });
      const message = shown.at(-1);
      if (message === undefined) throw new Error(`no response to ${line}`);
      return message;
    },
  };
}

/** A refusal of the server. */
export function refuse(
  code: number,
  message: string,
  status = 403,
  payload: Record<string, unknown> | null = null,
) {
  return () => {
    throw new RefusedError({
      operation: 'test',
      server: 'https://content.example.com',
      status,
      code,
      message,
      payload,
    });
  };
}

/** All text of a message, and what its buttons do. */
export function read({ blocks }: Message): string {
  const parts: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value))
      if ((key === 'text' || key === 'value') && typeof item === 'string') parts.push(item);
      else walk(item);
  };
  walk(blocks);
  return parts.join('\n');
}
