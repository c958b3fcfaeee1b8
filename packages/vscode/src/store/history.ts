// What the server knows about a content item: bundles and their files, variables, processes.
import type { Readable } from 'node:stream';
import { type Client, isMissingEndpoint, RefusedError } from '@pressroom/api/client';
import {
  countsUse,
  type Bundle,
  type BundleRelease,
  type ContentLinks,
  type Draft,
  type Job,
  type JobLog,
  type MovedNumbers,
  type PageComparison,
  type Schedule,
} from '@pressroom/api/contract';
import {
  type ArchivedFile,
  deploysOf,
  followProcesses,
  type FollowOptions,
  rollbackTarget,
  setVariables,
  type VariableChange,
  watchTask,
} from '@pressroom/api/publish';
import { contentLinks, recentUse, type RecentUse } from '@pressroom/api/usage';
import { l10n, ProgressLocation, window } from 'vscode';
import type { Connect } from '../sign-in/connect.ts';
import type { Keys } from '../sign-in/keys.ts';
import { hostOf } from '../ui/texts.ts';
import type { BundleContents } from './bundle-contents.ts';
import type { ContentRef } from './content-ref.ts';
import { createVariants, type Variants } from './variants.ts';

export type ContentDetails = Awaited<ReturnType<Client['getContent']>>;

export interface History {
  /** Newest first. @throws the call's failure, or if there is no key for the server */
  bundles(content: ContentRef): Promise<Bundle[]>;
  /** The bundle a rollback goes to; undefined if none was live before. */
  previous(content: ContentRef): Promise<Bundle | undefined>;
  /** Newest first; empty on servers that do not list drafts. */
  drafts(content: ContentRef): Promise<Draft[]>;
  /** Its bundle stays. */
  discardDraft(content: ContentRef, draft: Pick<Draft, 'bundle_id' | 'task_id'>): Promise<void>;
  content(content: ContentRef): Promise<ContentDetails>;
  /** Content that the user may publish to. */
  mine(server: string): Promise<ContentDetails[]>;
  /** Recent visitors; null if unsupported by the server. */
  recentUse(content: ContentRef & { readonly app_mode: string }): Promise<RecentUse | null>;
  /** Links to it; null if unsupported by the server. */
  links(content: ContentRef): Promise<ContentLinks | null>;
  /** The release of a bundle; null if unsupported by the server. */
  release(content: ContentRef, bundleId: string): Promise<BundleRelease | null>;
  deleteContent(content: ContentRef): Promise<void>;
  /** Numbers in tables that differ between a bundle and the active one; null if unsupported by the server. */
  numbers(content: ContentRef, bundleId: string): Promise<MovedNumbers | null>;
  /** Pictures of the pages of the active bundle and of this one. @throws RefusedError if there are none */
  pages(content: ContentRef, bundleId: string, signal: AbortSignal): Promise<PageComparison>;
  /** False once `numbers` found that the server compares no pages. */
  comparesPages(server: string): boolean;
  /** Kept for the last few bundles requested. */
  files(content: ContentRef, bundleId: string): Promise<ReadonlyMap<string, ArchivedFile>>;
  /** Reads the contents of a bundle, unless known here. */
  learn(content: ContentRef, bundleId: string): Promise<void>;
  /** Names only: servers never return values. */
  variables(content: ContentRef): Promise<string[]>;
  /** The others stay unchanged. */
  setVariables(content: ContentRef, values: readonly VariableChange[]): Promise<void>;
  /** Newest first. */
  processes(content: ContentRef): Promise<Job[]>;
  /** Restarts an application; passes on the task's output. Returns why it failed, or null. */
  restart(content: ContentRef, onLine: (line: string) => void): Promise<string | null>;
  /** Like `restart`, but only ends processes. */
  stop(content: ContentRef, onLine: (line: string) => void): Promise<string | null>;
  /** When a document is rendered again; undefined without a schedule. */
  schedule(content: ContentRef): Promise<Schedule | undefined>;
  /** Null removes it. */
  setSchedule(
    content: ContentRef,
    schedule: { readonly cron: string; readonly timezone: string } | null,
  ): Promise<Schedule | null>;
  /** Of a document with parameters. */
  readonly variants: Variants;
  /** Follows a task to its end. Returns why it failed, or null. */
  follow(content: ContentRef, task: string, onLine: (line: string) => void): Promise<string | null>;
  /** Follows what the processes print, until the signal is aborted. */
  followProcesses(content: ContentRef, options: FollowOptions): Promise<void>;
  /** The last lines, oldest first. */
  processLog(content: ContentRef, key: string): Promise<JobLog['entries']>;
}

/** In a tree: the newest. */
export const BUNDLES_SHOWN = 50;
const BUNDLES_KEPT = 3;

export class NotSignedInError extends Error {
  override readonly name = 'NotSignedInError';
}

/** @param read reads the archive of a bundle */
export function createHistory(
  keys: Keys,
  connect: Connect,
  contents: Pick<BundleContents, 'get' | 'keep'>,
  read: (archive: Readable) => Promise<Map<string, ArchivedFile>>,
): History {
  const kept = new Map<string, Promise<ReadonlyMap<string, ArchivedFile>>>();
  const withoutDrafts = new Set<string>();
  const withoutPages = new Set<string>();

  async function keyOf(server: string): Promise<string> {
    const key = await keys.get(server);
    if (key === undefined) throw new NotSignedInError(server);
    return key;
  }

  async function using<T>(server: string, use: (client: Client) => Promise<T>): Promise<T> {
    const key = await keyOf(server);
    const answered = Promise.withResolvers<void>();
    const title = l10n.t('Waiting for a response from {0}…', hostOf(server));
    let reported = false;
    const client = connect(server, key, () => {
      if (reported) return;
      reported = true;
      void window.withProgress({ location: ProgressLocation.Window, title }, () => answered.promise);
    });
    try {
      return await use(client);
    } finally {
      answered.resolve();
      await client.close();
    }
  }

  async function download({ server, guid }: ContentRef, id: string) {
    const files = await using(server, async (client) =>
      read((await client.downloadBundle({ id, guid })).stream),
    );
    const bundle = { server, guid, bundle_id: id };
    const known = new Map([...files].map(([name, { md5, size }]) => [name, { md5, size }]));
    // Known contents of a bundle published from here have stamps: they are kept.
    if ((await contents.get(bundle)) === undefined) await contents.keep(bundle, known);
    return files;
  }

  const history: History = {
    bundles: ({ server, guid }) =>
      using(server, async (client) => {
        // Other servers list all at once: no second page is necessary.
        const all =
          (await client.dialect()) === 'ga'
            ? (await client.getBundles({ guid })).results
            : await Array.fromAsync(client.each.getBundles({ guid }));
        return all.toSorted((a, b) => Number(b.id) - Number(a.id));
      }),
    async previous({ server, guid }) {
      const bundles = await history.bundles({ server, guid });
      const active = bundles.find((bundle) => bundle.active)?.id ?? null;
      const deploys = await using(server, (client) => deploysOf(client, guid));
      const ids = bundles.map(({ id }) => id);
      const target = rollbackTarget(ids, deploys, active);
      return bundles.find(({ id }) => id === target);
    },
    async drafts({ server, guid }) {
      if (withoutDrafts.has(server)) return [];
      try {
        return await using(server, (client) => client.getDrafts({ guid }));
      } catch (error) {
        if (!isMissingEndpoint(error)) throw error;
        withoutDrafts.add(server);
        return [];
      }
    },
    discardDraft: ({ server, guid }, { bundle_id: id, task_id }) =>
      using(server, (client) => client.deleteDraft({ guid, id, task_id })),
    content: ({ server, guid }) => using(server, (client) => client.getContent({ guid })),
    mine: (server) =>
      using(server, async (client) => {
        const all = await client.listContent();
        return all.filter(({ role }) => role === 'owner' || role === 'editor');
      }),
    async recentUse({ server, guid, app_mode }) {
      // Usage of APIs is not counted.
      return countsUse(app_mode) ? using(server, (client) => recentUse(client, guid)) : null;
    },
    release: ({ server, guid }, id) =>
      using(server, (client) => client.getBundleRelease({ guid, id })).catch(untold),
    numbers: ({ server, guid }, id) =>
      using(server, (client) => client.compareBundleNumbers({ guid, id })).catch((error: unknown) => {
        if (isMissingEndpoint(error)) withoutPages.add(server);
        return untold(error);
      }),
    pages: ({ server, guid }, id, signal) =>
      using(server, (client) => client.compareBundlePages({ guid, id }, { signal })),
    comparesPages: (server) => !withoutPages.has(server),
    links: ({ server, guid }) => using(server, (client) => contentLinks(client, guid)),
    deleteContent: ({ server, guid }) => using(server, (client) => client.deleteContent({ guid })),
    files({ server, guid }, id) {
      const name = `${server} ${guid} ${id}`;
      const found = kept.get(name);
      if (found) return found;
      const files = download({ server, guid }, id);
      kept.set(name, files);
      files.catch(() => kept.delete(name));
      for (const old of [...kept.keys()].slice(0, -BUNDLES_KEPT)) kept.delete(old);
      return files;
    },
    async learn({ server, guid }, id) {
      if ((await contents.get({ server, guid, bundle_id: id })) === undefined)
        await history.files({ server, guid }, id);
    },
    variables: ({ server, guid }) => using(server, (client) => client.getEnvironment({ guid })),
    setVariables: ({ server, guid }, values) =>
      using(server, async (client) => void (await setVariables(client, guid, values))),
    processes: ({ server, guid }) => using(server, (client) => client.getContentJobs({ guid })),
    restart: ({ server, guid }, onLine) =>
      using(server, async (client) => ended(client, await client.restartContent({ guid }), onLine)),
    stop: ({ server, guid }, onLine) =>
      using(server, async (client) => ended(client, await client.terminateApplication({ guid }), onLine)),
    schedule: ({ server, guid }) =>
      using(server, (client) => client.getContentSchedule({ guid }).catch(noSchedule)),
    setSchedule: ({ server, guid }, wanted) =>
      using(server, async (client) => {
        if (wanted !== null) return client.setContentSchedule({ guid, ...wanted });
        await client.deleteContentSchedule({ guid });
        return null;
      }),
    variants: createVariants(using),
    follow: ({ server }, task_id, onLine) => using(server, (client) => ended(client, { task_id }, onLine)),
    async followProcesses({ server, guid }, options) {
      // May take hours: a slow response is no reason to say that the server is waited for.
      await using client = connect(server, await keyOf(server));
      await followProcesses(client, guid, options);
    },
    processLog: ({ server, guid }, key) =>
      using(server, async (client) => (await client.getContentJobLog({ guid, key })).entries),
  };
  return history;
}

/** Follows a task to its end. Returns why it failed, or null. */
async function ended(
  client: Client,
  { task_id }: { readonly task_id: string },
  onLine: (line: string) => void,
): Promise<string | null> {
  for await (const event of watchTask(client, task_id)) {
    if (event.type === 'log') onLine(event.line);
    if (event.type === 'unknown') return event.reason;
    if (event.type === 'finished' && event.code !== 0) return event.error;
  }
  return null;
}

/** For responses that are not permitted, or not supported by the server. @throws any other failure */
function untold(error: unknown): null {
  if (error instanceof RefusedError || isMissingEndpoint(error)) return null;
  throw error;
}

/** The server answers "not found" without one. @throws any other failure */
function noSchedule(error: unknown): undefined {
  if (error instanceof RefusedError && error.code === 4) return undefined;
  throw error;
}
