// Kills the server at random moments of uploads, deploys and deletes, and checks what it kept.
import { hash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { caller, firstAdministrator, makeArchive, startServerProcess, type Call } from '@pressroom/testkit';

export interface KillReport {
  readonly kills: number;
  /** Requests answered with success before the kill. */
  readonly acknowledged: { uploads: number; deploys: number; deletions: number };
  /** Tasks ended by the start after a kill. */
  readonly interrupted: number;
  /** Violations; empty if there are none. */
  readonly faults: string[];
}

/** What the server has acknowledged, by content GUID. */
interface Ledger {
  readonly bundles: Map<string, { guid: string; md5: string }>;
  readonly tasks: Map<string, string>;
  readonly contents: Set<string>;
  readonly deleted: Set<string>;
  /** Resolves with the first upload. */
  readonly uploaded: PromiseWithResolvers<void>;
}

const WORKERS = 4;
/** Kills happen within this many milliseconds of the first request. */
const MAX_RUN_MS = 350;

/** @param signal stops after the current kill */
export async function killServer(most: number, signal?: AbortSignal): Promise<KillReport> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pressroom-kill-'));
  const all = emptyLedger();
  const faults: string[] = [];
  let [kills, interrupted, isLast] = [0, 0, false];
  try {
    await using servers = new AsyncDisposableStack();
    let server = servers.use(await startServerProcess(dataDir));
    const { key } = await firstAdministrator(() => server.url);
    while (!isLast) {
      const { url } = server;
      const ledger = emptyLedger();
      const call = caller(() => url, key);
      const stop = new AbortController();
      const workers = Array.from({ length: WORKERS }, (_, i) =>
        work(call, ledger, `r${kills}w${i}`, stop.signal),
      );
      // Every other kill waits for an upload, so that slow machines acknowledge something, too.
      if (kills % 2 === 1) await Promise.race([ledger.uploaded.promise, Promise.all(workers)]);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_RUN_MS));
      await server.stop('SIGKILL');
      kills += 1;
      stop.abort();
      await Promise.all(workers);
      server = servers.use(await startServerProcess(dataDir));
      const again = caller(() => server.url, key);
      interrupted += await check(again, ledger, faults, `kill ${kills}`);
      for (const [id, bundle] of ledger.bundles) all.bundles.set(id, bundle);
      for (const [id, bundle] of ledger.tasks) all.tasks.set(id, bundle);
      for (const guid of ledger.contents) all.contents.add(guid);
      for (const guid of ledger.deleted) all.deleted.add(guid);
      isLast = kills === most || signal?.aborted === true;
      if (isLast) await check(again, all, faults, 'at the end');
      if (isLast || kills % 10 === 1) {
        await checkDisk(again, dataDir, (text) => faults.push(`kill ${kills}: ${text}`));
      }
    }
    const code = await server.stop('SIGTERM');
    if (code !== 0) faults.push(`SIGTERM ended the server with ${code}`);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
  const { bundles, tasks, deleted } = all;
  const acknowledged = { uploads: bundles.size, deploys: tasks.size, deletions: deleted.size };
  return { kills, acknowledged, interrupted, faults };
}

function emptyLedger(): Ledger {
  const uploaded = Promise.withResolvers<void>();
  return { bundles: new Map(), tasks: new Map(), contents: new Set(), deleted: new Set(), uploaded };
}

/** Creates, uploads, deploys and deletes until the server is gone; records only what was acknowledged. */
async function work(call: Call, ledger: Ledger, name: string, signal: AbortSignal): Promise<void> {
  try {
    for (let i = 0; !signal.aborted; i += 1) {
      const created = await call('POST', '/v1/content', {
        body: { name: `${name}i${i}`, access_type: 'all' },
      });
      if (created.status !== 200) return;
      const { guid } = created.body;
      ledger.contents.add(guid);
      for (let b = 0; b < 2; b += 1) {
        const archive = makeArchive({
          'index.html': `<p>${name} ${i} ${b}</p>`,
          'data.bin': Buffer.alloc(200_000, name),
        });
        const upload = await call('POST', `/v1/content/${guid}/bundles`, { raw: archive });
        if (upload.status !== 200) return;
        ledger.bundles.set(upload.body.id, { guid, md5: hash('md5', archive) });
        ledger.uploaded.resolve();
        const deploy = await call('POST', `/v1/content/${guid}/deploy`, {
          body: { bundle_id: upload.body.id },
        });
        if (deploy.status !== 200) return;
        ledger.tasks.set(deploy.body.task_id, upload.body.id);
      }
      if (i % 2 === 0) continue;
      // Unknown without a response.
      ledger.contents.delete(guid);
      const removed = await call('DELETE', `/v1/content/${guid}`);
      if (removed.status === 204) ledger.deleted.add(guid);
    }
  } catch {
    // The connection ended with the server.
  }
}

async function check(call: Call, ledger: Ledger, faults: string[], when: string): Promise<number> {
  const fault = (text: string) => faults.push(`${when}: ${text}`);
  for (const guid of ledger.contents) {
    const content = await call('GET', `/v1/content/${guid}`);
    if (content.status !== 200) fault(`content ${guid} is lost`);
    else if (content.body.bundle_id !== null) {
      const page = await call('GET', `//content/${guid}/`);
      if (page.status !== 200 || !page.bytes.toString().startsWith('<p>'))
        fault(`the page of ${guid} answers ${page.status}`);
    }
  }
  for (const guid of ledger.deleted) {
    if ((await call('GET', `/v1/content/${guid}`)).status !== 404) fault(`content ${guid} came back`);
  }
  for (const [id, { guid, md5 }] of ledger.bundles) {
    if (!ledger.contents.has(guid)) continue;
    const download = await call('GET', `/v1/experimental/bundles/${id}/download`);
    if (hash('md5', download.bytes) !== md5)
      fault(`bundle ${id} is not what was uploaded (${download.status})`);
  }
  let interrupted = 0;
  for (const [id] of ledger.tasks) {
    const task = await call('GET', `/v1/tasks/${id}`);
    if (task.status !== 200 || !task.body.finished) fault(`task ${id} is not finished`);
    else if (task.body.code !== 0 && task.body.error === '') fault(`task ${id} failed without an error`);
    if (task.body?.error?.startsWith('The server stopped')) interrupted += 1;
  }
  return interrupted;
}

/** There is nothing on disk without a row. */
async function checkDisk(call: Call, dataDir: string, fault: (text: string) => void): Promise<void> {
  const contents: { guid: string; bundle_id: string | null }[] = (await call('GET', '/v1/content')).body;
  const known = new Set<string>();
  for (const { guid } of contents) {
    const bundles: { id: string }[] = (await call('GET', `/v1/content/${guid}/bundles`)).body;
    for (const { id } of bundles) known.add(`${id}.tar.gz`);
  }
  const files = await readdir(join(dataDir, 'bundles'));
  for (const file of files) if (!known.delete(file)) fault(`${file} is an orphan`);
  for (const file of known) fault(`${file} is missing`);
  const active = new Map(contents.map(({ guid, bundle_id }) => [guid, bundle_id]));
  // What a start set aside is removed in the background.
  const below = async (path: string) => (await readdir(path)).filter((name) => !name.endsWith('.going'));
  for (const guid of await below(join(dataDir, 'content'))) {
    const sites = await below(join(dataDir, 'content', guid));
    const bundle = active.get(guid);
    const expected = bundle === undefined || bundle === null ? 0 : 1;
    if (sites.length !== expected) fault(`content ${guid} has ${sites.length} directories`);
  }
}
