import { expect, it } from 'vitest';
import { samplerOf } from './trace-sampler.ts';

it.each([
  [{}, /^ParentBased\{root=AlwaysOnSampler/],
  [{ OTEL_TRACES_SAMPLER: 'always_off' }, /^AlwaysOffSampler/],
  [
    { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' },
    /^ParentBased\{root=TraceIdRatioBased\{0\.25\}/,
  ],
])('creates the sampler for %j', (env, name) => {
  expect(String(samplerOf(env))).toMatch(name);
});

it.each([
  [{ OTEL_TRACES_SAMPLER: 'sometimes' }, /^OTEL_TRACES_SAMPLER must be/],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }, /^OTEL_TRACES_SAMPLER_ARG must be/],
])('rejects %j and names the variable', (env, message) => {
  expect(() => samplerOf(env)).toThrow(message);
});
