// Traces of requests and tasks for an OpenTelemetry collector, if OpenTelemetry's variables name one.
import type { IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { TaskRow } from '../tasks/store.ts';
import { NO_ROUTE, routeOfUnnamed, statusOf, type RequestObserver } from './request-observer.ts';
import { samplerOf } from './trace-sampler.ts';

export interface Traces extends AsyncDisposable {
  readonly requests: RequestObserver;
  /** To be called when a task starts or ends. */
  task(row: TaskRow): void;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Microseconds to milliseconds, the unit of the library. */
const millis = (micros: number) => micros / 1000;
/** Milliseconds for the last flush. */
const LAST_MS = 3000;
const HEADERS = ['traceparent', 'tracestate'];

/**
 * Names, times and outcomes only: no addresses or queries, which may be secret.
 * @throws an Error that names the variable
 */
export function openTraces(env: Environment, version: string): Traces {
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'pressroom', 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }));
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(env),
    // Address, headers, timeout and certificates come from the variables.
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const tracer = provider.getTracer('pressroom', version);
  const propagator = new W3CTraceContextPropagator();
  const routes = new WeakMap<IncomingMessage, string>();

  const contextOf = ({ headers }: IncomingMessage): Context =>
    propagator.extract(ROOT_CONTEXT, headers, {
      keys: Object.keys,
      get: (carrier, name) => (carrier as IncomingMessage['headers'])[name],
    });

  return {
    requests: {
      begin(request, response) {
        const context = contextOf(request);
        const method = request.method ?? 'GET';
        const span = tracer.startSpan(
          method,
          { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } },
          context,
        );
        // Applications continue the trace.
        for (const name of HEADERS) delete request.headers[name];
        propagator.inject(trace.setSpan(context, span), request.headers, {
          set: (carrier, name, value) => {
            (carrier as IncomingMessage['headers'])[name] = value;
          },
        });
        response.once('close', () => {
          const status = statusOf(response);
          const route = routes.get(request) ?? routeOfUnnamed(request);
          span.updateName(`${method} ${route}`);
          span.setAttributes({ 'http.route': route, 'http.response.status_code': status });
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        });
      },
      routed: (request, route) => void routes.set(request, route ?? NO_ROUTE),
    },
    task({ kind, finished, code, created_time, finished_time }) {
      if (finished === 0 || finished_time === null) return;
      const span = tracer.startSpan(`task ${kind}`, {
        root: true,
        startTime: millis(created_time),
        attributes: { 'pressroom.task.kind': kind },
      });
      if (code !== 0) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(millis(finished_time));
    },
    async [Symbol.asyncDispose]() {
      // Spans that an unreachable collector does not accept are lost; shutdown goes on.
      const late = setTimeout(LAST_MS, undefined, { ref: false });
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
    },
  };
}
