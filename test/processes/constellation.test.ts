// Covers two servers as separate processes behind a round-robin nginx: the command that starts them, and a rolling upgrade.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { caller, firstAdministrator, freePort, publish, startConstellation } from '@pressroom/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { ASGI, asgi } from '../runtime/python-content.ts';

const COMMAND = 'packages/testkit/src/constellation/main.ts';
const QUICK = ['fsync=off', 'autovacuum=off'];
const REQUESTS_A_SECOND = 50;

test('npm run cluster publishes an example on two servers and stops without a trace, also after one was killed', async () => {
  const port = await freePort();
  const temporary = mkdtempSync(join(tmpdir(), 'pressroom-cluster-'));
  onTestFinished(() => rmSync(temporary, { recursive: true }));
  // PostgreSQL and the servers have other accounts.
  chmodSync(temporary, 0o755);
  const child = spawn(process.execPath, [COMMAND, '--directory', 'static-page'], {
    env: { ...process.env, TMPDIR: temporary, PRESSROOM_CLUSTER_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  // As Ctrl-C does.
  const interrupt = () => process.kill(-child.pid!, 'SIGINT');
  const ended = once(child, 'exit');
  const lines: string[] = [];
  const isUp = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    if (line.includes('kill -9')) isUp.resolve();
  });
  await Promise.race([isUp.promise, ended]);
  const said = lines.join('\n');
  const urls = [...said.matchAll(/(http:\S+) \(process (\d+)\)/g)];
  expect(urls).toHaveLength(2);
  const page = /static-page\s+(http\S+)/.exec(said)![1]!;
  for (const [, url] of urls) expect((await fetch(page.replace(/^http:\/\/[^/]+/, url!))).status).toBe(200);
  expect((await fetch(page)).status).toBe(200);
  const other = spawn(process.execPath, [COMMAND, '--directory', 'static-page'], {
    env: { ...process.env, PRESSROOM_CLUSTER_PORT: String(port) },
  });
  const [refusal, [code]] = await Promise.all([text(other.stderr), once(other, 'exit')]);
  expect([code, refusal]).toEqual([1, expect.stringContaining(`Port ${port} is in use`)]);
  process.kill(Number(urls[0]![2]), 'SIGKILL');
  interrupt();
  interrupt();
  await expect.poll(() => lines).toContain('Stopping …');
  interrupt();
  expect(await ended).toEqual([0, null]);
  for (const [, , pid] of urls) expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  await expect(fetch(page)).rejects.toThrow();
  expect(readdirSync(temporary)).toEqual([]);
});

test('a rolling upgrade fails no request, and sessions of the other server continue', async () => {
  await using constellation = await startConstellation({
    store: false,
    postgres: QUICK,
    env: { PRESSROOM_HTTP_DRAINDELAY: '4', PRESSROOM_SCHEDULER_IDLETIMEOUT: '600' },
  });
  const { url, servers } = constellation;
  const { key } = await firstAdministrator(() => url);
  const call = caller(() => url, key);
  const owner = { guid: '', username: 'admin', key, call };
  const app = await publish(owner, asgi({ '/': 'answer = 1' }), { metadata: ASGI });
  const page = await publish(owner, { 'index.html': '<p>here</p>' });
  const paths = [`${url}${app.path.slice(1)}`, `${url}${page.path.slice(1)}`, `${url}/__api__/v1/user`];

  const responses: (number | string)[] = [];
  const asked: Promise<void>[] = [];
  let isOver = false;
  const load = (async () => {
    for (let i = 0; !isOver; i++) {
      const response = fetch(paths[i % paths.length]!, { headers: { authorization: `Key ${key}` } });
      const status = response.then(async (it) => (await it.arrayBuffer(), it.status)).catch(String);
      asked.push(status.then((it) => void responses.push(it)));
      await delay(1000 / REQUESTS_A_SECOND);
    }
  })();
  const kept = new WebSocket(`${servers[1]!.url.replace('http', 'ws')}${app.path.slice(1)}`);
  await once(kept, 'open');
  for (const [index, server] of servers.entries()) {
    if (index === 1) {
      kept.send('still here');
      expect(String((await once(kept, 'message'))[0])).toBe('still here');
    }
    const stopped = server.stop('SIGTERM');
    const ready = async () => (await fetch(`${server.url}/__health__/ready`)).json();
    await expect.poll(ready).toEqual({ status: 'draining' });
    expect(await stopped).toBe(0);
    await server.start({ PRESSROOM_HTTP_DRAINDELAY: '0' });
  }
  isOver = true;
  await load;
  await Promise.all(asked);
  expect(responses.length).toBeGreaterThan(100);
  expect(responses.filter((response) => response !== 200)).toEqual([]);
});
