// Redeploys active bundles whose files are missing, after restoring a backup without or with older files.
import { existsSync } from 'node:fs';
import { SYSTEM, type Audit } from '../audit/record.ts';
import { findBundle } from '../bundles/store.ts';
import { findContent, servedSites } from '../content/store.ts';
import type { Storage } from '../platform/database/storage.ts';
import { openTasksOf } from '../tasks/store.ts';
import type { TaskService } from '../tasks/task-service.ts';
import type { DeployService } from './deploy-service.ts';

interface Parts {
  readonly storage: Storage;
  readonly audit: Audit;
  readonly tasks: TaskService;
  readonly deploys: DeployService;
}

/** For the start of a single server. Returns the content items; each has a task with the result. */
export async function deployMissing(parts: Parts): Promise<string[]> {
  const { storage, tasks, deploys, audit } = parts;
  const missing: string[] = [];
  // Unpacked from the store on demand.
  if (deploys.openDeployed !== null) return missing;
  for (const [guid, site] of await servedSites(storage.db)) {
    if (site === null || existsSync(deploys.siteDirectory(guid, site))) continue;
    const task = await storage.write(async (tx) => {
      const content = await findContent(tx, guid);
      const bundle = content?.bundle_id ? await findBundle(tx, content.bundle_id) : undefined;
      if (!content || !bundle || (await openTasksOf(tx, guid)).length > 0) return null;
      const subject = { content_guid: guid, bundle_id: bundle.id, user_guid: content.owner_guid };
      const id = await tasks.create(tx, { kind: 'deploy', ...subject });
      const description = `Deploying bundle ${bundle.id} of content ${content.name} (${guid}) again, as its files are gone, task ${id}`;
      await audit(tx, SYSTEM, 'deploy_application', description, {
        content: guid,
        bundle: bundle.id,
        task: id,
      });
      return { id, bundle };
    });
    if (!task) continue;
    void deploys.run(task.id, task.bundle, 'deploy');
    missing.push(guid);
  }
  return missing;
}
