// Starts tracing if the environment configures it: its libraries are loaded only then.
import { VERSION } from '../main/config/version.ts';
import type { Traces } from './traces.ts';

/** @param stack flushes at the end. @throws an Error that names the variable */
export async function startTraces(
  env: Readonly<Record<string, string | undefined>>,
  stack: Pick<AsyncDisposableStack, 'use'>,
): Promise<Traces | null> {
  const address = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!address || env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return null;
  const { openTraces } = await import('./traces.ts');
  return stack.use(openTraces(env, VERSION));
}
