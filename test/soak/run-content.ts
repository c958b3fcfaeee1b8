// Misbehaving content, and deploys under load: a quiet neighbour and steady visitors must not be affected.
import { setTimeout as delay } from 'node:timers/promises';
import { publish, startTestServer, type Person, type Published } from '@pressroom/testkit';
import { ASGI, asgi } from '../runtime/python-content.ts';

export interface ContentReport {
  readonly misdeeds: number;
  /** Responses of the quiet neighbour, and the slowest in milliseconds. */
  readonly neighbour: { readonly responses: number; readonly slowest: number };
  readonly redeploys: number;
  readonly underLoad: { readonly responses: number; readonly failed: number };
  readonly faults: string[];
}

export interface ContentSoakOptions {
  readonly rounds: number;
  /** Megabytes printed by content per round. */
  readonly megabytes: number;
  readonly redeploys: number;
}

const REQUESTS_A_SECOND = 50;

export async function runContent({
  rounds,
  megabytes,
  redeploys,
}: ContentSoakOptions): Promise<ContentReport> {
  await using server = await startTestServer({
    engine: 'sqlite',
    settings: {
      'Applications.MemoryLimit': 300 * 2 ** 20,
      'Applications.ProcessLimit': 60,
      'Scheduler.IdleTimeout': 600,
    },
  });
  const owner = await server.person('publisher');
  const faults: string[] = [];
  const get = (path: string) => server.anonymous('GET', path);
  const neighbour = await publish(owner, asgi({ '/': 'answer = STARTED' }), { metadata: ASGI });
  const before = (await get(neighbour.path)).body;
  let [responses, slowest, stop] = [0, 0, false];
  const watching = (async () => {
    while (!stop) {
      const begun = performance.now();
      const { status, body } = await get(neighbour.path);
      slowest = Math.max(slowest, performance.now() - begun);
      responses += 1;
      if (status !== 200 || body !== before) faults.push(`the neighbour answered ${status}`);
      await delay(5);
    }
  })();
  const misdeeds = await misbehave(owner, get, { rounds, megabytes });
  stop = true;
  await watching;
  const underLoad = await deployUnderLoad(owner, get, redeploys, faults);
  const quiet = { responses, slowest: Math.round(slowest) };
  return { misdeeds, neighbour: quiet, redeploys, underLoad, faults };
}

async function misbehave(
  owner: Person,
  get: (path: string) => Promise<unknown>,
  { rounds, megabytes }: Pick<ContentSoakOptions, 'rounds' | 'megabytes'>,
): Promise<number> {
  const line = '("x" * 99 + "\\n") * 10000';
  const paths = {
    '/': 'answer = 1',
    '/die': 'os.kill(os.getpid(), signal.SIGKILL)',
    '/fill': 'x = bytearray(2 ** 30)\nanswer = len(x)',
    '/print': `for i in range(${megabytes}): sys.stdout.write(${line})\nanswer = 1`,
    '/fork':
      'answer = 0\nwhile answer < 500:\n    if os.fork() == 0:\n        time.sleep(1000)\n    answer += 1',
    '/exit': 'os._exit(3)',
  };
  let misdeeds = 0;
  for (let round = 0; round < rounds; round++) {
    for (const path of ['die', 'fill', 'print', 'fork', 'exit']) {
      const content = await publish(owner, asgi(paths), { metadata: ASGI });
      await get(content.path + path);
      await owner.call('DELETE', `/v1/content/${content.guid}`);
      misdeeds += 1;
    }
  }
  return misdeeds;
}

/** Steady visits, while the content is deployed repeatedly. */
async function deployUnderLoad(
  owner: Person,
  get: (path: string) => Promise<{ status: number }>,
  redeploys: number,
  faults: string[],
): Promise<ContentReport['underLoad']> {
  const files = asgi({ '/': 'await asyncio.sleep(0.02)\nanswer = STARTED' });
  // Room for queued visitors while a busy machine delays the application.
  const fields = { max_conns_per_process: 200 };
  const content: Published = await publish(owner, files, { metadata: ASGI, fields });
  const asked: Promise<{ status: number }>[] = [];
  const asking = setInterval(() => asked.push(get(content.path)), 1000 / REQUESTS_A_SECOND);
  for (let i = 0; i < redeploys; i++) {
    const { task } = await publish(owner, files, { metadata: ASGI, guid: content.guid });
    if (task.code !== 0) faults.push(`a deploy under load failed: ${task.error}`);
  }
  clearInterval(asking);
  const failed = (await Promise.all(asked)).filter(({ status }) => status !== 200).length;
  if (failed > 0) faults.push(`${failed} requests failed during deploys`);
  return { responses: asked.length, failed };
}
