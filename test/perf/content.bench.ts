// Applications: overhead of the proxy, cold start, and latency of printed lines.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  firstAdministrator,
  freePort,
  makeArchive,
  publish,
  startServerProcess,
  type Person,
  type ListeningProcess,
} from '@pressroom/testkit';
import { WebSocket } from 'ws';
import { requestsPerSecond } from './api.bench.ts';

const ROUNDS = 3;
export const ASGI = { appmode: 'python-fastapi', entrypoint: 'app:app' };
/** Answers hello, and echoes on its socket. */
export const API = `
async def app(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
        await send({"type": "http.response.body", "body": b"hello"})
    elif scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] != "websocket.disconnect":
            await send({"type": "websocket.send", "text": message["text"]})
`;
const SHINY = `
library(shiny)
shinyApp(fluidPage(textOutput("out")), function(input, output) output$out <- renderText("hello"))
`;

export async function contentBench(): Promise<string[]> {
  const root = await mkdtemp(join(tmpdir(), 'pressroom-bench-'));
  const server = await startServerProcess(join(root, 'data'), {
    PRESSROOM_SCHEDULER_MAXPROCESSES: '1',
    PRESSROOM_SCHEDULER_MAXCONNSPERPROCESS: '1000',
    PRESSROOM_SCHEDULER_IDLETIMEOUT: '600',
  });
  const owner = await firstAdministrator(() => server.url);
  const lines = [
    ...(await proxyBench(server, owner, root)),
    ...(await coldBench(server, owner, root)),
    ...(await lineBench(owner)),
  ];
  await server.stop('SIGTERM');
  await rm(root, { recursive: true, force: true });
  return lines;
}

/** The same application: directly, through nginx, and through this server with its access checks. */
async function proxyBench(server: ListeningProcess, owner: Person, root: string): Promise<string[]> {
  await writeFile(join(root, 'app.py'), API);
  const [direct, socket] = [await freePort(), join(root, 'app.sock')];
  const quiet = ['--app-dir', root, '--no-access-log', '--log-level', 'error', 'app:app'];
  const uvicorn = (...args: string[]) => start('/usr/bin/python3', ['-m', 'uvicorn', ...args, ...quiet]);
  const children = [uvicorn('--port', String(direct)), uvicorn('--uds', socket)];
  const front = await freePort();
  await writeFile(
    join(root, 'nginx.conf'),
    `user root; daemon off; worker_processes auto; pid ${root}/nginx.pid; error_log ${root}/nginx.log;
events { worker_connections 512; }
http { access_log off; upstream app { server unix:${socket}; keepalive 64; }
server { listen 127.0.0.1:${front}; location / { proxy_pass http://app; proxy_http_version 1.1;
proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $http_connection; } } }`,
  );
  children.push(start('nginx', ['-c', join(root, 'nginx.conf')]));
  const content = await publish(owner, { 'app.py': API }, { metadata: ASGI });
  const urls = {
    direct: `http://127.0.0.1:${direct}/`,
    nginx: `http://127.0.0.1:${front}/`,
    ours: `${server.url}/content/${content.guid}/`,
  };
  for (const url of Object.values(urls)) await untilAnswers(url);
  const lines: string[] = [];
  for (const [name, measure] of [
    ['requests a second, 16 at once', (url: string) => requestsPerSecond(url, null)],
    ['requests a second, one at a time', oneAtATime],
    ['messages and responses a second, 16 sockets', (url: string) => messagesPerSecond(url, 16)],
    ['messages and responses a second, one socket', (url: string) => messagesPerSecond(url, 1)],
  ] as const) {
    const rates: Record<string, number[]> = { direct: [], nginx: [], ours: [] };
    for (let round = 0; round < ROUNDS; round++) {
      for (const [who, url] of Object.entries(urls)) rates[who]!.push(await measure(url));
    }
    const [floor, peer, own] = Object.values(rates).map((all) => all.sort((a, b) => a - b)[1]!) as [
      number,
      number,
      number,
    ];
    lines.push(
      `${name}: ours/direct ${(own / floor).toFixed(2)}, nginx/direct ${(peer / floor).toFixed(2)}, ` +
        `ours/nginx ${(own / peer).toFixed(2)} (direct ${floor.toFixed(0)})`,
    );
  }
  for (const child of children) await stop(child);
  return lines;
}

/** From a visit to content without a process until the first byte, compared with the application alone. */
async function coldBench(server: ListeningProcess, owner: Person, root: string): Promise<string[]> {
  const { guid } = await publish(
    owner,
    { 'app.R': SHINY },
    { metadata: { appmode: 'shiny' }, fields: { idle_timeout: 0 } },
  );
  await writeFile(join(root, 'app.R'), SHINY);
  const [ours, alone]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    await untilJobsEnd(owner, guid);
    let begun = performance.now();
    await (await fetch(`${server.url}/content/${guid}/`)).text();
    ours.push(performance.now() - begun);
    const port = await freePort();
    begun = performance.now();
    const child = start('Rscript', [
      '-e',
      `shiny::runApp("${root}", port = ${port}, launch.browser = FALSE)`,
    ]);
    await untilAnswers(`http://127.0.0.1:${port}/`);
    alone.push(performance.now() - begun);
    await stop(child);
  }
  const [own, floor] = [ours, alone].map((all) => all.sort((a, b) => a - b)[1]!) as [number, number];
  return [
    `cold Shiny, click to first byte / Rscript alone: ${(own / floor).toFixed(2)} (${own.toFixed(0)} ms / ${floor.toFixed(0)} ms)`,
  ];
}

/** From a line printed by a render to a client that reads its task, with the share of reading. */
async function lineBench(owner: Person): Promise<string[]> {
  const count = 200;
  const source = `
import sys, time
for i in range(${count}):
    time.sleep(0.02)
    print("@", time.time_ns(), flush=True, file=sys.__stderr__)
async def app(scope, receive, send):
    pass
`;
  const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'lines' } })).body;
  const raw = makeArchive({ 'app.py': source }, ASGI);
  await owner.call('POST', `/v1/content/${guid}/bundles`, { raw });
  const task = (await owner.call('POST', `/v1/content/${guid}/deploy`)).body.task_id;
  const delays: number[] = [];
  const readings: number[] = [];
  for (let last = 0, finished = false; !finished;) {
    const begun = performance.now();
    const { body } = await owner.call('GET', `/v1/tasks/${task}?first=${last}`);
    readings.push(performance.now() - begun);
    for (const line of body.output as string[]) {
      const stamp = /^@ (\d+)$/.exec(line)?.[1];
      if (stamp) delays.push(Date.now() - Number(stamp) / 1e6);
    }
    ({ last, finished } = body);
  }
  const at = (all: number[], share: number) =>
    all.sort((a, b) => a - b)[Math.floor((all.length - 1) * share)]!.toFixed(1);
  return [
    `log line from process to client: p50 ${at(delays, 0.5)} ms, p99 ${at(delays, 0.99)} ms over ${delays.length} lines ` +
      `(one read of the task: p50 ${at(readings, 0.5)} ms, p99 ${at(readings, 0.99)} ms)`,
  ];
}

async function oneAtATime(url: string): Promise<number> {
  const until = performance.now() + 2000;
  let count = 0;
  const agent = new Agent({ keepAlive: true });
  while (performance.now() < until) {
    const outgoing = request(url, { agent }).end();
    const [incoming] = await once(outgoing, 'response');
    incoming.resume();
    await once(incoming, 'end');
    count += 1;
  }
  agent.destroy();
  return count / 2;
}

async function messagesPerSecond(url: string, sockets: number): Promise<number> {
  const until = performance.now() + 2000;
  let count = 0;
  const talk = async () => {
    const socket = new WebSocket(url.replace('http', 'ws'), { perMessageDeflate: false });
    await once(socket, 'open');
    while (performance.now() < until) {
      socket.send('hello');
      await once(socket, 'message');
      count += 1;
    }
    socket.terminate();
  };
  await Promise.all(Array.from({ length: sockets }, talk));
  return count / 2;
}

function start(file: string, args: string[]): ChildProcess {
  return spawn(file, args, { stdio: 'ignore' });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

async function untilAnswers(url: string): Promise<void> {
  while (!(await fetch(url).catch(() => null))) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function untilJobsEnd(owner: Person, guid: string): Promise<void> {
  for (;;) {
    const jobs = (await owner.call('GET', `/v1/content/${guid}/jobs`)).body as { status: number }[];
    if (jobs.every((job) => job.status === 2)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
