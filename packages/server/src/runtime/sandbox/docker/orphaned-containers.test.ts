import type Docker from 'dockerode';
import { expect, test } from 'vitest';
import { createOrphanedContainers } from './orphaned-containers.ts';

test('removes only ended containers until no other server is there, and filters by no state', async () => {
  const removed: string[] = [];
  const docker = {
    async listContainers({ filters }: { readonly filters: object }) {
      // Podman rejects the filter with "unknown container state: dead".
      if ('status' in filters) throw new Error('unknown container state');
      const found = ['running', 'exited', 'created', 'dead'].map((State) => ({
        Id: State,
        State,
        Names: ['/pressroom-x'],
      }));
      return [...found, { Id: 'starting', State: 'running', Names: ['/pressroom-xlook0'] }];
    },
    getContainer: (id: string) => ({ remove: async () => void removed.push(id) }),
  } as unknown as Docker;
  using left = createOrphanedContainers(
    { ask: async (question) => question(docker) },
    'here',
    () => undefined,
  );
  await left.removeOld(false);
  expect(removed).toEqual(['exited', 'dead']);
  await left.removeRunning();
  expect(removed.splice(0)).toEqual(['exited', 'dead', 'running', 'created']);
  await left.removeOld(true);
  expect(removed).toEqual(['running', 'exited', 'created', 'dead', 'starting']);
});
