// Requests the health path of a canary: no response in time, or a status of 400 or above, counts as failed.
import { request as openRequest } from 'node:http';
import type { Logger } from 'pino';
import { findContent } from '../content/store.ts';
import { preparedOf } from '../deploys/drafts/keep-draft.ts';
import { findDraft } from '../deploys/drafts/store.ts';
import type { Database } from '../platform/database/storage.ts';
import { responseTo } from '../platform/response-to.ts';
import type { Applications } from '../runtime/applications.ts';
import type { Address } from '../runtime/pool/worker.ts';
import type { CanaryCounter } from './counter.ts';
import type { CanaryRow } from './store.ts';

interface Parts {
  readonly db: Database;
  readonly applications: Pick<Applications, 'isClosed' | 'poolOfDraft'>;
  readonly counter: CanaryCounter;
  readonly log: Logger;
  /** Whether other servers may run its processes: then the check starts none. */
  readonly hasOthers: boolean;
}

const RESPONSE_MS = 10_000;

export function createHealthCheck(parts: Parts): (canary: CanaryRow) => Promise<void> {
  const { db, applications, counter, log, hasOthers } = parts;
  return async ({ id, bundle_id: bundleId, content_guid, health_path: path }) => {
    const [content, draft] = [await findContent(db, content_guid), await findDraft(db, bundleId)];
    const { site, launch } = draft ? preparedOf(draft) : { site: '', launch: null };
    if (!content || launch === null || path === null) return;
    const pool = applications.poolOfDraft({ content, bundleId, site, launch });
    if ((hasOthers || applications.isClosed) && pool.processes === 0) return;
    counter.incident(id, 'canary', 'health_checks');
    const signal = AbortSignal.timeout(RESPONSE_MS);
    try {
      const lease = await pool.acquire(signal);
      const status = await statusOf(lease.worker.address, path, signal).finally(() => lease.release());
      if (status < 400) return;
      log.info({ content: content_guid, bundle: bundleId }, 'health path answered %d', status);
    } catch (error) {
      log.info({ content: content_guid, bundle: bundleId, err: error }, 'health path');
    }
    counter.incident(id, 'canary', 'health_failures');
  };
}

/** The status of a response. @throws if there is none */
export async function statusOf(address: Address, path: string, signal: AbortSignal): Promise<number> {
  const route = 'socketPath' in address ? { socketPath: address.socketPath } : address;
  const out = openRequest({ ...route, path, signal, headers: { host: 'localhost' } });
  out.end();
  const response = await responseTo(out);
  response.on('error', () => undefined).destroy();
  return response.statusCode ?? 0;
}
