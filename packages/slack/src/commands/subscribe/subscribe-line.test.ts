import { expect, test } from 'vitest';
import type { ContentClients } from '../../link/content-clients.ts';
import type { Subscription } from '../../store/subscriptions.ts';
import { TEXTS } from '../../texts/languages.ts';
import type { Run } from '../command.ts';
import { parseCommand } from '../line/parse.ts';
import { COMMANDS } from '../table.ts';
import { subscribeLine } from './subscribe-line.ts';
import { subscribe } from './subscribe.ts';

const content = 'cccccccc-0000-4000-8000-000000000009';
const variants = ['North', 'South, and East'].map((name, i) => ({
  key: `k${i}`,
  name,
  is_default: false,
  visibility: 'public',
}));

test.each([
  'deploys,failures',
  'renderings,usage-weekly',
  'renderings/k0/North',
  'usage-weekly,renderings/k0/North',
  'deploys,renderings/k0/North,renderings/k1/South%2C%20and%20East',
])('the line of a subscription to %s adds the same one', async (filters) => {
  const before = { content, filters, quiet: null, digest_hour: 8 } as Subscription;
  const line = await subscribeLine({} as ContentClients, before);
  const saved: string[] = [];
  const run = {
    client: {
      getContent: async () => ({ guid: content, name: 'sales', title: null, role: 'owner' }),
      getContentVariants: async () => variants,
      getCurrentUser: async () => ({ user_role: 'publisher' }),
    },
    command: parseCommand(line, COMMANDS, TEXTS.en),
    invoker: { team: 'T1', user: 'U1', name: 'ada', channel: 'C1' },
    services: {
      slack: { user: async () => ({ name: 'ada', zone: 'UTC' }), canPost: async () => true },
      store: {
        subscriptions: async () => [],
        saveSubscription: async (row: { filters: string }) => void saved.push(row.filters),
      },
    },
    texts: TEXTS.en,
  } as unknown as Run;
  await (subscribe as { run: (run: Run) => Promise<unknown> }).run(run);
  expect(saved.map((words) => words.split(',').toSorted())).toEqual([filters.split(',').toSorted()]);
});
