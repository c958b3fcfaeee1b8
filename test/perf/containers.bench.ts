// Content in a container compared with the same content as a process: request times, and cold start.
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstAdministrator, publish, startServerProcess, type ListeningProcess } from '@pressroom/testkit';
import { openOwnEngine, whyNoEngine } from '../container/engine.ts';
import { pythonImage } from '../processes/container-images.ts';
import { API, ASGI } from './content.bench.ts';

const ROUNDS = 5;
const REQUESTS = 1000;
const COLD = 5;

interface Contender {
  readonly server: ListeningProcess;
  readonly url: string;
  /** Ends the processes. */
  readonly stop: () => Promise<void>;
}

export async function containersBench(): Promise<string[]> {
  const whyNot = whyNoEngine();
  if (whyNot !== null) return [`containers: ${whyNot}`];
  const root = await mkdtemp(join(tmpdir(), 'pressroom-bench-'));
  await using engine = await openOwnEngine();
  const image = 'pressroom-bench-python';
  pythonImage(engine.host, image);
  const local = await contender(join(root, 'local'), {});
  const docker = await contender(join(root, 'docker'), {
    PRESSROOM_APPLICATIONS_EXECUTOR: 'docker',
    PRESSROOM_DOCKER_HOST: engine.host,
    PRESSROOM_DOCKER_IMAGES: image,
    // The bench's engine has no bridge.
    PRESSROOM_DOCKER_NETWORK: 'host',
    PRESSROOM_APPLICATIONS_NETWORKACCESS: 'false',
  });
  const all = [local, docker];
  const [process, container] = await inTurns(all, ROUNDS, ({ url }) => requests(url));
  const [cold, coldContainer] = await inTurns(all, COLD, async ({ url, stop }) => {
    await stop();
    const begun = performance.now();
    await (await fetch(url)).text();
    return [performance.now() - begun];
  });
  for (const { server } of all) await server.stop('SIGTERM');
  await rm(root, { recursive: true, force: true });
  const against = (own: number, floor: number) =>
    `${(own / floor).toFixed(2)} (${own.toFixed(2)} ms / ${floor.toFixed(2)} ms, added ${(own - floor).toFixed(2)} ms)`;
  return [
    `request, container / process, p50: ${against(container!, process!)}`,
    `cold API, container / process, p50: ${against(coldContainer!, cold!)}`,
  ];
}

async function contender(dataDir: string, settings: Record<string, string>): Promise<Contender> {
  const server = await startServerProcess(dataDir, { ...settings, PRESSROOM_SCHEDULER_IDLETIMEOUT: '600' });
  const owner = await firstAdministrator(() => server.url);
  const { guid, task } = await publish(owner, { 'app.py': API }, { metadata: ASGI });
  if (task.code !== 0) throw new Error(task.output.join('\n'));
  return {
    server,
    url: `${server.url}/content/${guid}/`,
    async stop() {
      const jobs = (await owner.call('GET', `/v1/content/${guid}/jobs`)).body as {
        key: string;
        end_time: string | null;
      }[];
      for (const { key, end_time } of jobs)
        if (end_time === null) await owner.call('DELETE', `/v1/content/${guid}/jobs/${key}`);
    },
  };
}

/** Medians in milliseconds. */
async function inTurns(
  contenders: readonly Contender[],
  rounds: number,
  measure: (contender: Contender) => Promise<number[]>,
): Promise<number[]> {
  const times = contenders.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [i, one] of contenders.entries()) times[i]!.push(...(await measure(one)));
  return times.map((all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)]!);
}

/** Milliseconds of sequential requests over one connection. */
async function requests(url: string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  for (let i = 0; i < REQUESTS; i++) {
    const begun = performance.now();
    await new Promise<void>((resolve, reject) => {
      request(url, { agent }, (response) => response.resume().on('end', resolve))
        .on('error', reject)
        .end();
    });
    times.push(performance.now() - begun);
  }
  agent.destroy();
  return times;
}
