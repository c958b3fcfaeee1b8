// Covers traces: an OpenTelemetry collector receives requests and tasks, and applications continue a visitor's trace.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { publish, startTestServer, type Person, type Published, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ASGI, asgi } from '../runtime/python-content.ts';

interface SentSpan {
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly status: { readonly code: number };
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

let collector: Server;
let person: Person;
let page: Published;
let sent = '';
let spans: SentSpan[];
let seen: string;
beforeAll(async () => {
  const bodies: string[] = [];
  collector = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url === '/v1/traces' && request.headers.authorization === 'Basic abc') bodies.push(body);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${(collector.address() as AddressInfo).port}`);
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'authorization=Basic abc');
  vi.stubEnv('OTEL_SERVICE_NAME', 'reports');
  const server: TestServer = await startTestServer({ settings: {} });
  person = await server.person('publisher');
  page = await publish(person, { 'index.html': 'seen' });
  const application = await publish(person, asgi({ '/': 'answer = headers["traceparent"]' }), {
    metadata: ASGI,
  });
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01` };
  await person.call('GET', `/v1/content/${page.guid}?token=secret`, { headers });
  seen = (await person.call('GET', application.path, { headers })).body;
  await person.call('GET', '//__no_such_page__');
  // The rest is sent when the server stops.
  await server[Symbol.asyncDispose]();
  sent = bodies.join('\n');
  spans = bodies.flatMap((body) =>
    (JSON.parse(body).resourceSpans as { scopeSpans: { spans: SentSpan[] }[] }[]).flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap((scope) => scope.spans),
    ),
  );
});
afterAll(async () => {
  vi.unstubAllEnvs();
  collector.closeAllConnections();
  collector.close();
  await once(collector, 'close');
});

const named = (name: string) => spans.filter((span) => span.name === name);

test('a request span has its route as name, and continues the client’s trace', () => {
  const [span, ...others] = named('GET /__api__/v1/content/:guid').filter(({ traceId }) => traceId === TRACE);
  expect(others).toEqual([]);
  expect(span).toMatchObject({ parentSpanId: PARENT, status: { code: 0 } });
  expect(span!.attributes).toEqual(
    expect.arrayContaining([
      { key: 'http.request.method', value: { stringValue: 'GET' } },
      { key: 'http.response.status_code', value: { intValue: 200 } },
    ]),
  );
  expect(named('GET none')).toHaveLength(1);
});

test('an application continues the trace of its visitor', () => {
  expect(seen).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  expect(seen).not.toContain(PARENT);
  expect(named('GET content').map(({ traceId }) => traceId)).toContain(TRACE);
});

test('a task has its own span', () => {
  expect(named('task deploy').map(({ status }) => status.code)).toEqual([0, 0]);
});

test('spans name the service and version, but no address, query or key', () => {
  expect(sent).toContain('"service.name","value":{"stringValue":"reports"}');
  expect(sent).toContain('service.version');
  for (const secret of [page.guid, 'secret', person.key]) expect(sent).not.toContain(secret);
});
