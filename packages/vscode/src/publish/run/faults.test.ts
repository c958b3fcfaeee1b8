// Covers every server fault at every step: reported soon, nothing lost, nothing done twice.
import { mapLimited, readRecords } from '@pressroom/api/publish';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TIMEOUTS } from '../../sign-in/connect.ts';
import { createExtensionBench } from '../../testing/bench.ts';
import {
  FAULTS,
  KEY,
  startContentServer,
  STEPS,
  type Fault,
  type Step,
} from '../../testing/content-server.ts';
import { recorded } from '../../testing/fake-vscode.ts';
import type { Ending } from './drive.ts';

/** FAULTS_BY_CLOCK=1 uses the real timeouts, and prints after how many seconds each fault was reported. */
const BY_CLOCK = process.env['FAULTS_BY_CLOCK'] === '1';
/** Seconds by step and fault: the maximum of all cases. */
const seconds = new Map<string, Map<Fault, number>>();
function noteTime(row: string, fault: Fault, told: number): void {
  const times = seconds.get(row) ?? new Map<Fault, number>();
  times.set(fault, Math.max(times.get(fault) ?? 0, told / 1000));
  seconds.set(row, times);
}
function table(): string {
  const rows = [...seconds].map(([row, times]) =>
    [row.padEnd(42), ...FAULTS.map((fault) => (times.get(fault)?.toFixed(1) ?? '-').padStart(5))].join(' '),
  );
  return [`${' '.repeat(42)} ${FAULTS.map((fault) => String(fault).padStart(5)).join(' ')}`, ...rows].join(
    '\n',
  );
}

/**
 * Milliseconds until a fault must be reported. It is reported during the first attempt or the second: a response is slow
 * after 2 s (connect.test.ts; here 0.2 s). Silent retries last a minute. The limit lies between, for busy machines.
 */
const TOLD_MS = 25_000;
const LOOK_MS = 20;
/** Attempts: one by the check before a publish, one or two by the publish itself before it reports the fault. */
const TRIES = 3;

async function setup() {
  const server = await startContentServer();
  const bench = await createExtensionBench(server.url, KEY, BY_CLOCK ? TIMEOUTS : undefined);
  return {
    ...bench,
    server,
    async [Symbol.asyncDispose]() {
      await bench[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
type Bench = Awaited<ReturnType<typeof setup>>;

/**
 * Waits until the job ends or the person learns that the server does not respond, then ends the fault. If the server
 * never answers, cancels.
 */
async function through<T>(
  { server, runs, dir }: Bench,
  job: Promise<T>,
  step: Step,
  note: (told: number) => void,
): Promise<{ result: T; late: string[] }> {
  const began = performance.now();
  const asked = server.calls.length;
  const ended = job.then(
    () => true,
    () => true,
  );
  const host = server.url.replace('http://', '');
  const waits = () => recorded.progress.some((text) => text === `Waiting for a response from ${host}…`);
  const look = () => new Promise<false>((resolve) => setTimeout(() => resolve(false), LOOK_MS));
  let isOver = false;
  while (!isOver && !waits() && performance.now() - began < 2 * TOLD_MS)
    isOver = await Promise.race([ended, look()]);
  const told = performance.now() - began;
  note(told);
  const tries = server.calls.slice(asked).filter((call) => STEPS[step].test(call)).length;
  server.fail(step, null);
  if (!isOver) runs.cancel(dir);
  const late = told < TOLD_MS && tries <= TRIES ? [] : [`told after ${Math.round(told)} ms, ${tries} tries`];
  return { result: await job, late };
}

/** Publishes until it works. Returns the problems found. */
async function publish(step: Step, fault: Fault, { when, before, note }: Case): Promise<string[]> {
  await using bench = await setup();
  const { server, publisher, dir } = bench;
  const again = { server: server.url };
  if (before) await publisher.publish(dir, { again });
  server.fail(step, fault, when);
  const first = before ? publisher.publish(dir) : publisher.publish(dir, { again });
  const { result, late } = await through<Ending | undefined>(bench, first, step, note);
  const problems = [...late];
  const guid = (result?.type === 'failed' ? result.guid : null) ?? (await readRecords(dir))[0]?.guid;
  const last = result?.type === 'done' ? result : await publisher.publish(dir, { again, guid });
  if (last?.type !== 'done') problems.push(`the second attempt ended as ${last?.type}`);
  if (server.contents.size !== 1) problems.push(`${server.contents.size} content items`);
  const [content] = server.contents.values();
  const [record, ...others] = await readRecords(dir);
  if (others.length > 0 || record?.guid !== content?.guid) problems.push('the record is of something else');
  if (record?.bundle_id !== content?.active) problems.push('the record names another bundle');
  return problems.map((text) => `${result?.type}: ${text}`);
}

async function rollBack(step: Step, fault: Fault, { when, note }: Case): Promise<string[]> {
  await using bench = await setup();
  const { server, publisher, dir } = bench;
  const again = { server: server.url };
  for (const guid of [undefined, [...server.contents.keys()][0]])
    await publisher.publish(dir, { again, guid: guid ?? [...server.contents.keys()][0] });
  const [content] = server.contents.values();
  const target = { server: server.url, guid: content!.guid, bundle_id: content!.bundles[0]! };
  server.fail(step, fault, when);
  const job = publisher.rollback(dir, target);
  const { result, late } = await through<Ending | undefined>(bench, job, step, note);
  const problems = [...late];
  if (result?.type !== 'done') await publisher.rollback(dir, target);
  if (content!.active !== target.bundle_id) problems.push(`bundle ${content!.active} is active`);
  if (content!.bundles.length !== 2) problems.push(`${content!.bundles.length} bundles`);
  return problems.map((text) => `${result?.type}: ${text}`);
}

/** Makes a request of a command outside a job. The command shows the failure. */
async function ask(step: Step, fault: Fault, { note }: Case): Promise<string[]> {
  await using bench = await setup();
  const { server, publisher, dir, history } = bench;
  await publisher.publish(dir, { again: { server: server.url } });
  const content = { server: server.url, guid: [...server.contents.keys()][0]! };
  const questions: Partial<Record<Step, () => Promise<unknown>>> = {
    bundles: () => history.bundles(content),
    jobs: () => history.processes(content),
    jobLog: () => history.processLog(content, 'job1'),
    environment: () => history.setVariables(content, [{ name: 'A', value: 'x' }]),
  };
  server.fail(step, fault);
  const asked = questions[step]!().then(
    () => 'answered',
    () => 'failed',
  );
  return (await through(bench, asked, step, note)).late;
}

interface Case {
  /** Receives the milliseconds until the fault was reported. */
  readonly note: (told: number) => void;
  /** The fault comes after the server has done the work. */
  readonly when?: 'late';
  /** The folder was published before. */
  readonly before?: boolean;
}
type Run = (step: Step, fault: Fault, options: Case) => Promise<string[]>;

const CASES: readonly (readonly [string, Run, readonly Step[], Omit<Case, 'note'>])[] = [
  ['a first publish', publish, ['key', 'settings', 'create', 'upload', 'deploy', 'task', 'page'], {}],
  ['a first publish whose response is lost', publish, ['create', 'upload', 'deploy'], { when: 'late' }],
  ['another publish', publish, ['settings', 'content', 'upload', 'deploy', 'task', 'page'], { before: true }],
  ['a rollback', rollBack, ['deploy', 'task', 'page'], {}],
  ['a rollback whose response is lost', rollBack, ['deploy'], { when: 'late' }],
  ['what commands ask', ask, ['bundles', 'jobs', 'jobLog', 'environment'], {}],
];

/** A refusal cannot come after the work is done, so only these faults lose a response. */
const LOSE: readonly Fault[] = ['gone', 'slow', 'html', 'half', 500];
const AT_ONCE = BY_CLOCK ? 4 : 12;

const cases = CASES.flatMap(([name, run, steps, options]) =>
  steps.flatMap((step) =>
    (options.when === 'late' ? LOSE : FAULTS).map((fault) => ({
      name: `${name}, ${step}: ${fault}`,
      run: () => run(step, fault, { ...options, note: (told) => noteTime(`${name}, ${step}`, fault, told) }),
    })),
  ),
);
const found = new Map<string, string[]>();

beforeAll(async () => {
  await mapLimited(cases, AT_ONCE, undefined, async ({ name, run }) => {
    found.set(name, await run().catch((error: unknown) => [String(error)]));
  });
});
afterAll(() => {
  recorded.reset();
  if (BY_CLOCK) console.log(table());
});

test.each(cases.map(({ name }) => name))(
  'a fault is reported soon, and nothing is lost or duplicated: %s',
  (name) => {
    expect(found.get(name)).toEqual([]);
  },
);
