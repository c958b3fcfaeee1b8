// What changed is followed here and told to the other servers of the database: content, rights, processes to be ended.
import type { Logger } from 'pino';
import { DRAINED, type Drain } from '../cluster/drain.ts';
import { applicationContents, findContent } from '../content/store.ts';
import { draftSites } from '../deploys/draft-store.ts';
import type { UnpackedSites } from '../deploys/unpacked-sites.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Storage } from '../platform/database/storage.ts';
import { isOutage } from '../platform/outage.ts';
import type { Applications } from '../runtime/applications.ts';
import type { ContentRoute } from '../visitors/content-route.ts';
import type { Connections } from '../visitors/proxy/connections.ts';

export interface Changes {
  contentChanged(guid: string): void;
  /** Somebody may have lost rights. */
  rightsChanged(): void;
  /** The processes of a content item are to end, at all servers or at one: at once, or with their visitors. */
  publishStop(guid: string, node?: string): void;
  publishDrain(guid: string): void;
  /** Brings the processes of this server in line with the database. */
  followAll(): Promise<void>;
  /** The same, where nobody waits for it. */
  followSoon(): void;
  listen(drain: Drain): Disposable;
}

export interface ChangesParts {
  readonly storage: Storage;
  readonly sites: UnpackedSites | null;
  readonly jobs: Jobs;
  readonly connections: Connections;
  readonly log: Logger;
  /** What is opened after this. */
  readonly late: () => { readonly applications: Applications; readonly route: Pick<ContentRoute, 'forget'> };
}

/** Events: a content item changed, anything of anybody's rights, and processes are to end, at once or with their visitors. */
const CONTENT = 'content:';
const RIGHTS = 'rights';
const STOP = 'stop:';
const DRAIN = 'drain:';
/** How long after the database was away a change is followed again. */
const AGAIN_MS = 5000;

export function createChanges({ storage, sites, jobs, connections, log, late }: ChangesParts): Changes {
  const { db, events } = storage;

  /** What this server has of content that was deleted at another one. */
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
        // What was deployed here is on trial until this is done.
        if (isOutage(error)) setTimeout(() => followContent(guid), AGAIN_MS).unref();
      });
  }

  async function followAll(): Promise<void> {
    const drafts = await draftSites(db);
    late().applications.follow(await applicationContents(db), drafts);
    for (const key of await jobs.unwanted()) void late().applications.stopOne(key);
  }

  const followSoon = () =>
    void followAll().catch((error: unknown) => log.error(error, 'following other servers'));

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
        if (event === DRAINED || event === null)
          drain.follow().catch((error: unknown) => log.error(error, 'drained servers'));
        if (event?.startsWith(STOP)) {
          const [guid = '', node = jobs.node] = event.slice(STOP.length).split('@');
          if (node === jobs.node) void late().applications.stop(guid);
        }
        if (event === RIGHTS || event === null) connections.recheck(null);
        if (event === null) followSoon();
      }),
  };
}
