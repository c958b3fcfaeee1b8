// Two servers behind a proxy under deploys and visits, while repeatedly a server, the database, the store or the engine
// is lost: acknowledged work is done, once, or reports why not, and visitors see nothing wrong.
import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { caller, firstAdministrator, makeArchive, type Call, type Constellation } from '@pressroom/testkit';
import { ASGI, asgi } from '../runtime/python-content.ts';
import type { Losable, Loss } from './losses.ts';

export interface LossReport {
  readonly losses: Partial<Record<Loss, number>>;
  readonly acknowledged: { uploads: number; deploys: number };
  /** Deploys that failed through a loss, with an error that names it. */
  readonly failed: number;
  /** Deploys taken over by another server. */
  readonly takenOver: number;
  /** Responses to visitors: correct ones, and refusals during a loss. */
  readonly visits: { right: number; refused: number };
  /** Seconds from a loss to the end of the last running deploy. */
  readonly longest: number;
  /** Violations; empty if there are none. */
  readonly faults: string[];
}

interface Item {
  readonly guid: string;
  /** By bundle: text of its page, and checksum of its archive. */
  readonly bundles: Map<string, { text: string; md5: string }>;
  /** Deploys in order of request. Those without an id were not answered: done or not, both are correct. */
  readonly tasks: { id?: string; bundle: string }[];
  /** Bundles and tasks at the previous check. */
  checked: { bundles: number; tasks: number };
}

const PUBLISHERS = 3;
/** Each deploys once per round: before the loss, or during it. */
const PUBLISH_WITHIN_MS = 8000;
const VISIT_MS = 100;
const DEADLINE_MS = 90_000;

export interface LosingOptions {
  /** Called after each round. */
  readonly told: (rounds: number, faults: readonly string[]) => void;
  /** Stops after the current round. */
  readonly signal: AbortSignal;
}

export async function loseServers(
  losable: Losable,
  rounds: number,
  { told, signal }: LosingOptions,
): Promise<LossReport> {
  const { constellation } = losable;
  const { key } = await firstAdministrator(() => constellation.url);
  const call = caller(() => constellation.url, key);
  const faults: string[] = [];
  const visits = { right: 0, refused: 0 };
  const losses: Partial<Record<Loss, number>> = {};
  let failed = 0;
  const items: Item[] = [];
  for (let i = 0; i < PUBLISHERS; i += 1) items.push(await createItem(call, `item${i}`));
  let longest = 0;
  for (let round = 0; round < rounds && !signal.aborted; round += 1) {
    const loss = losable.losses[round % losable.losses.length]!;
    losses[loss] = (losses[loss] ?? 0) + 1;
    const stop = new AbortController();
    const work = [
      ...items.map((item, i) => publishSoon(call, item, `r${round}p${i}`)),
      visitOn(constellation, items, visits, (text) => faults.push(`${round} ${loss}: ${text}`), stop.signal),
    ];
    await delay(1000 + Math.random() * 2000);
    const begun = performance.now();
    await losable.lose(loss, Math.floor(Math.random() * 2), () => stop.abort());
    await Promise.all(work);
    const fault = (text: string) => void faults.push(`${round} ${loss}: ${text}`);
    failed += await check(constellation, key, items, losable.mayFail(loss), fault);
    longest = Math.max(longest, (performance.now() - begun) / 1000);
    told(round + 1, faults);
  }
  // Checked after each round: all of it still exists.
  for (const item of items) item.checked = { bundles: 0, tasks: 0 };
  await check(constellation, key, items, null, (text) => faults.push(`at the end: ${text}`));
  const tasks = items.flatMap((item) => item.tasks.flatMap(({ id }) => id ?? []));
  let takenOver = 0;
  for (const id of tasks) {
    const { output } = (await call('GET', `/v1/tasks/${id}`)).body;
    if (output.some((line: string) => /Another one starts it again/.test(line))) takenOver += 1;
  }
  return {
    losses,
    acknowledged: {
      uploads: items.reduce((sum, { bundles }) => sum + bundles.size, 0),
      deploys: tasks.length,
    },
    failed,
    takenOver,
    visits,
    longest: Math.round(longest),
    faults,
  };
}

async function createItem(call: Call, name: string): Promise<Item> {
  const { guid } = (await call('POST', '/v1/content', { body: { name, access_type: 'all' } })).body;
  const item: Item = { guid, bundles: new Map(), tasks: [], checked: { bundles: 0, tasks: 0 } };
  await publishOnce(call, item, 'first');
  await ended(call, item.tasks[0]!.id!);
  return item;
}

async function publishOnce(call: Call, item: Item, text: string): Promise<void> {
  // Slow to start, so that it is running when a server is lost.
  const files = asgi({ '/': `answer = ${JSON.stringify(text)}` }, 'time.sleep(1)');
  const raw = makeArchive(files, ASGI);
  const upload = await call('POST', `/v1/content/${item.guid}/bundles`, { raw });
  if (upload.status !== 200) return;
  item.bundles.set(upload.body.id, { text, md5: hash('md5', raw) });
  const body = { bundle_id: upload.body.id };
  const asked: Item['tasks'][number] = { bundle: upload.body.id };
  item.tasks.push(asked);
  const deploy = await call('POST', `/v1/content/${item.guid}/deploy`, { body });
  if (deploy.status === 200) asked.id = deploy.body.task_id;
}

async function publishSoon(call: Call, item: Item, name: string): Promise<void> {
  await delay(Math.random() * PUBLISH_WITHIN_MS);
  await publishOnce(call, item, name).catch(() => undefined);
}

/** A visitor sees the published text, or is told to come back. */
async function visitOn(
  { url }: Constellation,
  items: readonly Item[],
  visits: { right: number; refused: number },
  fault: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let i = 0; !signal.aborted; i += 1) {
    const item = items[i % items.length]!;
    const response = await fetch(`${url}/content/${item.guid}/`, {
      signal: AbortSignal.timeout(30_000),
    }).catch(() => null);
    const shown = response?.ok === true ? await response.json().catch(() => null) : null;
    const known = [...item.bundles.values()].map(({ text }) => text);
    if (typeof shown === 'string' && known.includes(shown)) visits.right += 1;
    else if (response?.ok === true && shown !== null) fault(`a visitor was shown ${JSON.stringify(shown)}`);
    else visits.refused += 1;
    await delay(VISIT_MS);
  }
}

async function ended(call: Call, id: string): Promise<{ code: number; error: string } | null> {
  const deadline = performance.now() + DEADLINE_MS;
  while (performance.now() < deadline) {
    const { body } = await call('GET', `/v1/tasks/${id}?wait=20`).catch(() => ({ body: {} }));
    if (body.finished === true) return body;
  }
  return null;
}

/** What a visitor sees who retries while told to. */
async function shown(call: Call, guid: string) {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const page = await call('GET', `//content/${guid}/`);
    if (page.status !== 503 || performance.now() > deadline) return page;
    await delay(500);
  }
}

/**
 * Checks what is new since the previous check, on both servers; returns the number of failed deploys, each with an
 * error that names the loss.
 */
async function check(
  { servers }: Constellation,
  key: string,
  items: readonly Item[],
  mayFail: RegExp | null,
  fault: (text: string) => void,
): Promise<number> {
  let failed = 0;
  for (const server of servers) {
    const call = caller(() => server.url, key);
    for (const item of items) {
      for (const known of item.tasks.slice(item.checked.tasks)) {
        if (known.id === undefined) continue;
        const task = await ended(call, known.id);
        if (task === null) fault(`task ${known.id} does not end`);
        else if (task.code !== 0 && mayFail?.test(task.error)) {
          failed += 1;
          item.tasks.splice(item.tasks.indexOf(known), 1);
        } else if (task.code !== 0) fault(`task ${known.id} failed: ${task.error}`);
      }
      const last = item.tasks.findLastIndex(({ id }) => id !== undefined);
      const right = item.tasks.slice(last).map(({ bundle }) => bundle);
      const content = (await call('GET', `/v1/content/${item.guid}`)).body;
      if (!right.includes(content.bundle_id))
        fault(`bundle ${content.bundle_id} is active instead of ${right.join(' or ')}`);
      const texts = right.map((bundle) => item.bundles.get(bundle)!.text);
      const page = await shown(call, item.guid);
      if (!texts.includes(page.body))
        fault(`the page shows ${JSON.stringify(page.body)} (${page.status}), not ${texts.join(' or ')}`);
      for (const [id, { md5 }] of [...item.bundles].slice(item.checked.bundles)) {
        const { bytes } = await call('GET', `/v1/experimental/bundles/${id}/download`);
        if (hash('md5', bytes) !== md5) fault(`bundle ${id} is not what was uploaded`);
      }
    }
  }
  for (const item of items) item.checked = { bundles: item.bundles.size, tasks: item.tasks.length };
  return failed;
}
