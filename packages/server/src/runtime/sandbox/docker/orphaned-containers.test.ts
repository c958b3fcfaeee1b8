import type Docker from 'dockerode';
import { expect, test } from 'vitest';
import { createOrphanedContainers } from './orphaned-containers.ts';

test('removes only ended containers of servers that are gone until no other is there, and filters by no state', async () => {
  const removed: string[] = [];
  const docker = {
    async listContainers({ filters }: { readonly filters: object }) {
      // Podman rejects the filter with "unknown container state: dead".
      if ('status' in filters) throw new Error('unknown container state');
      const found = ['running', 'exited', 'created', 'dead'].map((State) => ({
        Id: State,
        State,
        Names: ['/pressroom-x'],
        Labels: {},
      }));
      const read = {
        Id: 'read',
        State: 'exited',
        Names: ['/pressroom-y'],
        Labels: { 'pressroom.start': 'y' },
      };
      return [...found, read, { Id: 'starting', State: 'running', Names: ['/pressroom-xlook0'], Labels: {} }];
    },
    getContainer: (id: string) => ({ remove: async () => void removed.push(id) }),
  } as unknown as Docker;
  using left = createOrphanedContainers({ ask: async (question) => question(docker) }, 'here');
  const runs = (start: string) => start === 'y';
  await left.removeOld(runs);
  expect(removed).toEqual(['exited', 'dead']);
  await left.removeRunning();
  expect(removed.splice(0)).toEqual(['exited', 'dead', 'running', 'created', 'read']);
  await left.removeOld(null);
  expect(removed).toEqual(['running', 'exited', 'created', 'dead', 'read', 'starting']);
});
