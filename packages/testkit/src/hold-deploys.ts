// Keeps deploys of a content item waiting, in a server of this process.
import type { Person, TestServer } from './test-server.ts';

/** @returns a function that lets them run */
export async function holdDeploys(server: TestServer, person: Person, guid: string): Promise<() => void> {
  const { tasks, deploys, storage } = server.running.services;
  const subject = { kind: 'deploy', content_guid: guid, bundle_id: 0, user_guid: person.guid } as const;
  const id = await storage.write((tx) => tasks.create(tx, subject));
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  void deploys.runObtained(id, guid, async () => {
    begun.resolve();
    await over.promise;
    return null;
  });
  await begun.promise;
  return over.resolve;
}
