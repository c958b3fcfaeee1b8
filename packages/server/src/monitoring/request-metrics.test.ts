// Covers the labels of metrics: content and visitors cannot create an unlimited number of series.
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createRequestMetrics } from './request-metrics.ts';

async function labelsOf(
  responses: readonly (readonly [method: string, status: number])[],
): Promise<string[]> {
  const registry = new Registry();
  const metrics = createRequestMetrics(registry);
  for (const [method, statusCode] of responses) {
    const response = Object.assign(new EventEmitter(), { headersSent: true, statusCode });
    metrics.begin({ method, url: '/content/a/' } as IncomingMessage, response as unknown as ServerResponse);
    response.emit('close');
  }
  const found = (await registry.metrics()).matchAll(
    /_count\{method="(.*)",route="content",status="(.*)"\} (\d+)/g,
  );
  return [...found].map(([, method, status, count]) => `${method} ${status} ${count}`);
}

test('counts unknown methods and statuses together', async () => {
  const labels = await labelsOf([
    ['GET', 200],
    ['GET', 404],
    ['GET', 499],
    ['GET', 299],
    ['GET', 298],
    ['GET', 799],
    ['M-SEARCH', 200],
    ['BIND', 200],
  ]);
  expect(labels.sort()).toEqual([
    'GET 200 1',
    'GET 2xx 2',
    'GET 404 1',
    'GET 499 1',
    'GET 7xx 1',
    'other 200 2',
  ]);
});
