// Restarts a task of a server that is gone.
import { findBundle } from '../bundles/store.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { TaskRow } from '../tasks/store.ts';
import type { DeployService } from './deploy-service.ts';
import type { DeployKind } from './run-deploy.ts';

interface Parts {
  readonly storage: Storage;
  readonly deploys: DeployService;
}

/** False if its bundle was deleted. */
export async function resumeTask({ storage, deploys }: Parts, task: TaskRow): Promise<boolean> {
  const bundle = task.bundle_id === null ? undefined : await findBundle(storage.db, task.bundle_id);
  if (!bundle) return false;
  const { id, variant_key: variant, preview } = task;
  if (variant !== null) void deploys.runVariant(id, bundle, variant);
  else void deploys.run(id, bundle, kindOf(task.kind), preview);
  return true;
}

function kindOf(kind: string): DeployKind {
  return kind === 'draft' || kind === 'render' ? kind : 'deploy';
}
