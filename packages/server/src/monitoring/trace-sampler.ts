// The sampler configured by OpenTelemetry's variables.
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace';

const PARENT_BASED = 'parentbased_';

/** By default all requests, unless the caller's trace is not sampled. @throws an Error that names the variable */
export function samplerOf(env: Readonly<Record<string, string | undefined>>): Sampler {
  const wanted = env.OTEL_TRACES_SAMPLER || 'parentbased_always_on';
  const root = rootSampler(wanted.replace(PARENT_BASED, ''), env.OTEL_TRACES_SAMPLER_ARG);
  if (root === null)
    throw new Error(
      `OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, perhaps with ${PARENT_BASED} before it`,
    );
  return wanted.startsWith(PARENT_BASED) ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(name: string, argument: string | undefined): Sampler | null {
  if (name === 'always_on') return new AlwaysOnSampler();
  if (name === 'always_off') return new AlwaysOffSampler();
  if (name !== 'traceidratio') return null;
  const ratio = Number(argument || 1);
  if (!(ratio >= 0 && ratio <= 1)) throw new Error('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  return new TraceIdRatioBasedSampler(ratio);
}
