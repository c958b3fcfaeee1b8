import type Docker from 'dockerode';
import { expect, test } from 'vitest';
import { createOrphanedContainers } from './orphaned-containers.ts';

test('removes only ended containers beside another server, and filters by no state', async () => {
  const removed: string[] = [];
  const docker = {
    async listContainers({ filters }: { readonly filters: object }) {
      // Podman rejects the filter with "unknown container state: dead".
      if ('status' in filters) throw new Error('unknown container state');
      return ['running', 'exited', 'created', 'dead'].map((State) => ({ Id: State, State }));
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
  await left.removeOld(true);
  expect(removed).toEqual(['exited', 'dead', 'running', 'exited', 'created', 'dead']);
});
