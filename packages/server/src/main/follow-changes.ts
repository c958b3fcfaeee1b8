// Applies changes on this server and announces them to the others: content, rights, processes to end.
import type { Logger } from 'pino';
import { DRAINED, type Drain } from '../cluster/drain.ts';
import { applicationContents, findContent } from '../content/store.ts';
import { draftSites } from '../deploys/drafts/store.ts';
import type { UnpackedSites } from '../deploys/sites/unpacked-sites.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Storage } from '../platform/database/storage.ts';
import { failureOf } from '../platform/database/unreachable.ts';
import { isOutage } from '../platform/outage.ts';
import type { Applications } from '../runtime/applications.ts';
import type { ContentRoute } from '../visitors/content-route.ts';
import type { Connections } from '../visitors/proxy/connections.ts';

export interface Changes {
  contentChanged(guid: string): void;
  /** Called when rights may have been removed. */
  rightsChanged(): void;
  /** Announces that processes of a content item are to end, on all servers or one: at once, or after their visitors. */
  publishStop(guid: string, node?: string): void;
  publishDrain(guid: string): void;
  /** Reconciles the processes of this server with the database. */
  followAll(): Promise<void>;
  /** Does the same in the background. */
  followSoon(): void;
  listen(drain: Drain): Disposable;
}

export interface ChangesParts {
  readonly storage: Storage;
  readonly sites: UnpackedSites | null;
  readonly jobs: Jobs;
  readonly connections: Connections;
  readonly log: Logger;
  /** Dependencies that are opened later. */
  readonly late: () => { readonly applications: Applications; readonly route: Pick<ContentRoute, 'forget'> };
}

/** Events: a content item changed, rights changed, and processes are to end, at once or after their visitors. */
const CONTENT = 'content:';
const RIGHTS = 'rights';
const STOP = 'stop:';
const DRAIN = 'drain:';
/** Milliseconds after a database outage until a change is applied again. */
const AGAIN_MS = 5000;

export function createChanges({ storage, sites, jobs, connections, log, late }: ChangesParts): Changes {
  const { db, events } = storage;

  /** Removes this server's files of content that was deleted on another one. */
  async function endContent(guid: string): Promise<void> {
    await late().applications.end(guid);
    if (sites === null) return;
    await sites.forget(guid);
    await jobs.removeLogs(guid);
  }

  function followContent(guid: string): void {
    late().route.forget(guid);
    connections.recheck(guid);
    Promise.all([draftSites(db, guid), findContent(db, guid)])
      .then(([drafts, content]) =>
        content ? late().applications.changed(content, drafts.get(guid) ?? []) : endContent(guid),
      )
      .catch((error: unknown) => {
        log.error(error, 'content %s changed', guid);
        // A deploy on this server is not settled until this is done.
        if (isOutage(error)) setTimeout(() => followContent(guid), AGAIN_MS).unref();
      });
  }

  async function followAll(): Promise<void> {
    const drafts = await draftSites(db);
    late().applications.follow(await applicationContents(db), drafts);
    for (const key of await jobs.unwanted()) void late().applications.stopOne(key);
  }

  const followSoon = () => void followAll().catch(failureOf('following other servers', log));

  return {
    contentChanged(guid) {
      followContent(guid);
      events.publish(CONTENT + guid);
    },
    rightsChanged() {
      connections.recheck(null);
      events.publish(RIGHTS);
    },
    publishStop: (guid, node) => events.publish(STOP + guid + (node === undefined ? '' : `@${node}`)),
    publishDrain: (guid) => events.publish(DRAIN + guid),
    followAll,
    followSoon,
    listen: (drain) =>
      events.listen((event) => {
        if (event?.startsWith(CONTENT)) followContent(event.slice(CONTENT.length));
        if (event?.startsWith(DRAIN)) late().applications.drain(event.slice(DRAIN.length));
        if (event === DRAINED || event === null) drain.follow().catch(failureOf('drained servers', log));
        if (event?.startsWith(STOP)) {
          const [guid = '', node = jobs.node] = event.slice(STOP.length).split('@');
          if (node === jobs.node) void late().applications.stop(guid);
        }
        if (event === RIGHTS || event === null) connections.recheck(null);
        if (event === null) followSoon();
      }),
  };
}
