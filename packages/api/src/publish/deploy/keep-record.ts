// Keeps the record of a directory: the directory is the user's meanwhile, and others may publish it, too.
import type { Client } from '../../client/client.ts';
import type { ClientClock } from '../../client/clock.ts';
import { findContentRecord, writeRecord } from '../records/record.ts';
import type { DeployOptions } from './deploy-events.ts';
import type { Prepared } from './prepare.ts';
import type { Target } from './target.ts';

export interface Deployed {
  readonly target: Target;
  readonly prepared: Prepared;
  /** The current record. */
  readonly file: string | null;
  /** The live bundle; null if nothing of this item is live yet. */
  readonly bundle_id: string | null;
  /** The live bundle after the deploy, by the server: another one if a later deploy has ended, too. */
  readonly live?: string | null;
}

export interface Kept {
  /** Null if no record is kept or it cannot be written. */
  readonly file: string | null;
  readonly warning?: string;
}

export async function keepRecord(
  { dir, client, record }: DeployOptions,
  clock: ClientClock,
  { target, prepared, file, bundle_id, live = bundle_id }: Deployed,
): Promise<Kept> {
  if (record === false) return { file: null };
  const { guid, name } = target.content;
  const { app_mode, entrypoint, rendering } = prepared.event;
  try {
    // Targets are renamed or forgotten, and branches switched.
    const kept = await findContentRecord(dir, { server: client.url, guid });
    if (file !== null && kept === undefined) {
      const warning = `The deployment record ${file} was removed or replaced during the deploy. It was not written again.`;
      return { file: null, warning };
    }
    // Another publish of this directory was later, and is in the record. It may have gone live since the last lookup.
    const isNewer = bundle_id !== null && Number(kept?.bundle_id) > Number(bundle_id);
    const now = isNewer ? (await client.getContent({ guid })).bundle_id : live;
    const isLater = now !== bundle_id && now !== target.content.bundle_id;
    if (isLater && kept?.bundle_id === now) return { file: kept.file };
    const { target: targetName } = kept ?? {};
    const fields = {
      server: client.url,
      guid,
      name,
      app_mode,
      entrypoint,
      ...(rendering !== undefined && { rendering }),
      bundle_id,
      deployed_time: new Date(clock.now()).toISOString(),
      ...(targetName !== undefined && { target: targetName }),
    };
    const written = await writeRecord(dir, fields, kept?.file);
    // Another publish may have gone live and been recorded since, and this one have overwritten its record.
    const overwritten = bundle_id === null ? null : await findLaterBundle(client, guid, bundle_id);
    if (overwritten !== null) await writeRecord(dir, { ...fields, bundle_id: overwritten }, written);
    return { file: written };
  } catch (error) {
    return { file: null, warning: `The deployment record could not be written: ${(error as Error).message}` };
  }
}

/** The live bundle if it is later than this one; null if it cannot be read, too. */
async function findLaterBundle(client: Client, guid: string, bundle_id: string): Promise<string | null> {
  const live = await client.getContent({ guid }).then(
    (content) => content.bundle_id,
    () => null,
  );
  return Number(live) > Number(bundle_id) ? live : null;
}
