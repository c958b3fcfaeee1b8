// API operations on restored packages, by language version.
import { errors } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { Audit } from '../audit/record.ts';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import { clearCache, listCaches } from '../runtime/restore/index.ts';
import type { TaskService } from '../tasks/task-service.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly audit: Audit;
  readonly tasks: TaskService;
  readonly environments: string;
}

export const cachesRoutes = { deleteRuntimeCache, getRuntimeCaches };

const LOCAL = { image_name: 'Local' };

/** Removes unused packages of a version. @throws ApiError 4 if there are none */
async function deleteRuntimeCache(
  parts: Parts,
  { body, caller }: ApiRequest<'deleteRuntimeCache'>,
): Promise<ApiResponse<'deleteRuntimeCache'>> {
  const { storage, environments, tasks, audit } = parts;
  const known = await listCaches(environments);
  const cache = known.find(({ language, version }) => language === body.language && version === body.version);
  if (!cache) throw errors.notFound({ message: 'there is no such cache' });
  if (body.dry_run) return { ...cache, ...LOCAL, task_id: null };
  const subject = { kind: 'clear_cache', content_guid: null, bundle_id: null } as const;
  const id = await storage.write(async (tx) => {
    const task = await tasks.create(tx, { ...subject, user_guid: caller.guid });
    const what = `unused packages of ${cache.language} ${cache.version}`;
    await audit(tx, caller, 'clear_cache', `Removing ${what}, task ${task}`, { task });
    return task;
  });
  void tasks.run(id, async ({ log, signal }) => {
    const removed = await clearCache({ ...parts, directory: environments, signal }, cache);
    log(`Removed ${removed.length} from the ${cache.language} ${cache.version} cache`);
    return () => Promise.resolve();
  });
  return { ...cache, ...LOCAL, task_id: id };
}

/** Lists the versions with restored packages. */
async function getRuntimeCaches({
  environments,
}: Pick<Parts, 'environments'>): Promise<ApiResponse<'getRuntimeCaches'>> {
  return { caches: (await listCaches(environments)).map((cache) => ({ ...cache, ...LOCAL })) };
}
