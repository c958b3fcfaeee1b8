// A canary that fails one request in ten, under 50 requests per second: it is rolled back automatically within a
// minute, and fewer than one request in a hundred fails meanwhile.
import { setTimeout as delay } from 'node:timers/promises';
import { finishedTask, publish, PYTHON_API, pythonApi, startTestServer, upload } from '@pressroom/testkit';

export interface CanaryReport {
  readonly requests: number;
  /** Answers with a status of 500 or above, of all requests from its start until the end of the load. */
  readonly failed: number;
  /** Seconds from its start until it was rolled back; null if it was not. */
  readonly backAfter: number | null;
  readonly reason: string | null;
  /** The server's counts of both sides. */
  readonly counted: { readonly requests: number; readonly errors: number };
  /** Violations; empty if there are none. */
  readonly faults: string[];
}

const PER_SECOND = 50;
const DEADLINE_MS = 60_000;
/** The load continues for a while, to cover what follows the end. */
const AFTER_MS = 5000;

/** @param share percentage of new sessions */
export async function failingCanary(share: number): Promise<CanaryReport> {
  await using server = await startTestServer({ durable: true });
  const owner = await server.person('publisher');
  const { guid } = await publish(owner, pythonApi('answer'), { metadata: PYTHON_API });
  const id = await upload(owner, guid, pythonApi('answer', 10), PYTHON_API);
  const body = { bundle_id: id, canary: { share } };
  const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`, { body })).body;
  await finishedTask(owner, task_id);

  const begun = performance.now();
  let [requests, failed] = [0, 0];
  let backAt: number | null = null;
  let isOver = false;
  const visits = new Set<Promise<void>>();
  const visit = async () => {
    requests += 1;
    const { status } = await server.anonymous('GET', `//content/${guid}/`);
    if (status >= 500) failed += 1;
  };
  const load = async () => {
    for (let sent = 0; !isOver; sent += 1) {
      const one = visit().finally(() => visits.delete(one));
      visits.add(one);
      await delay(Math.max(0, begun + ((sent + 1) * 1000) / PER_SECOND - performance.now()));
    }
  };
  const canary = async () => (await owner.call('GET', `/v1/content/${guid}/canary`)).body;
  const look = async () => {
    while (performance.now() - begun < DEADLINE_MS) {
      if ((await canary()).state === 'back') {
        backAt = performance.now();
        break;
      }
      await delay(250);
    }
    await delay(AFTER_MS);
    isOver = true;
  };
  await Promise.all([load(), look()]);
  await Promise.all(visits);
  // The last counts are saved within a second.
  await delay(2500);

  const { reason, live, canary: own } = await canary();
  const backAfter = backAt === null ? null : Math.round((backAt - begun) / 100) / 10;
  const counted = { requests: live.requests + own.requests, errors: live.errors + own.errors };
  const faults = [
    ...(backAfter === null ? [`not back within ${DEADLINE_MS / 1000} s`] : []),
    ...(failed >= requests / 100 ? [`${failed} of ${requests} requests failed`] : []),
    ...(counted.errors === failed ? [] : [`${failed} failed, ${counted.errors} were counted`]),
    ...(live.errors === 0 ? [] : [`${live.errors} of the live bundle are counted as failed`]),
  ];
  return { requests, failed, backAfter, reason, counted, faults };
}
