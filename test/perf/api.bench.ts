// API reads per second, compared with bare Fastify returning the same JSON.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startTestServer } from '@pressroom/testkit';
import Fastify from 'fastify';

export type Engine = 'sqlite' | 'postgres';

export async function apiBench(engine: Engine): Promise<string[]> {
  await using server = await startTestServer({ durable: true, engine });
  const publisher = await server.person('publisher');
  const { guid } = (await publisher.call('POST', '/v1/experimental/content', { body: { name: 'bench' } }))
    .body;
  const path = `/v1/experimental/content/${guid}`;
  const sample: unknown = (await publisher.call('GET', path)).body;
  const bare = Fastify();
  bare.get('/same', () => sample);
  const floor = await bare.listen({ host: '127.0.0.1', port: 0 });
  const ratios: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const base = await requestsPerSecond(`${floor}/same`, publisher.key);
    const ours = await requestsPerSecond(`${server.url}/__api__${path}`, publisher.key);
    ratios.push(ours / base);
  }
  await bare.close();
  const middle = ratios.sort((a, b) => a - b)[1]!;
  return [
    `getContent a second / bare Fastify with the same JSON, ${engine}: ${middle.toFixed(2)} (goal >= 0.7)`,
  ];
}

/** Requests per second measured by wrk with one thread and 16 connections. */
export async function requestsPerSecond(url: string, key: string | null): Promise<number> {
  const headers = key === null ? [] : ['-H', `Authorization: Key ${key}`];
  const wrk = spawn('wrk', ['-t1', '-c16', '-d4s', ...headers, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  wrk.stdout.on('data', (text: Buffer) => (output += text.toString()));
  await once(wrk, 'close');
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(output)?.[1];
  if (rate === undefined) throw new Error(`wrk measured nothing: ${output}`);
  return Number(rate);
}
