// Acknowledged deploys per second of 16 publishers with different content, each sending the next after the response.
import { makeArchive, startTestServer, type Person } from '@pressroom/testkit';
import type { Engine } from './api.bench.ts';

const PUBLISHERS = 16;
const DEPLOYS_OF_EACH = 10;
/** The first ones are slower, before code is compiled. */
const ROUNDS = 7;

export async function publishersBench(engine: Engine): Promise<string[]> {
  await using server = await startTestServer({ durable: true, engine });
  const owner = await server.person('publisher');
  const contents: string[] = [];
  for (let i = 0; i < PUBLISHERS; i += 1) {
    const { guid } = (await owner.call('POST', '/v1/content', { body: { name: `content-${i}` } })).body;
    await owner.call('POST', `/v1/content/${guid}/bundles`, { raw: makeArchive({ 'index.html': 'x' }) });
    contents.push(guid);
  }
  const [asked, done]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    const tasks = await Promise.all(contents.map((guid) => deployAgain(owner, guid)));
    const acknowledged = performance.now();
    for (const task of tasks.flat()) await untilFinished(owner, task);
    const count = PUBLISHERS * DEPLOYS_OF_EACH;
    asked.push((count * 1000) / (acknowledged - started));
    done.push((count * 1000) / (performance.now() - started));
  }
  return [
    `deploys acknowledged a second, ${PUBLISHERS} publishers, ${engine}: ${middle(asked).toFixed(0)}; ` +
      `finished a second: ${middle(done).toFixed(0)} (goal: PostgreSQL / SQLite >= 0.8)`,
  ];
}

async function deployAgain(owner: Person, guid: string): Promise<string[]> {
  const tasks: string[] = [];
  for (let i = 0; i < DEPLOYS_OF_EACH; i += 1) {
    const { status, body } = await owner.call('POST', `/v1/content/${guid}/deploy`);
    if (status !== 202 && status !== 200) throw new Error(`a deploy was answered with ${status}`);
    tasks.push(body.task_id);
  }
  return tasks;
}

async function untilFinished(owner: Person, task: string): Promise<void> {
  for (;;) {
    const { body } = await owner.call('GET', `/v1/tasks/${task}?wait=20`);
    if (body.finished) return;
  }
}

function middle(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
