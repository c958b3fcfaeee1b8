// What a failed event tells about an error.
import type { FailedEvent } from './deploy-events.ts';

type Description = Pick<FailedEvent, 'code' | 'error' | 'hint' | 'cause' | 'failure'>;

export function describeFailure(failure: unknown): Description {
  const { code, hint } = Object(failure) as { code?: unknown; hint?: unknown };
  return {
    code: typeof code === 'number' ? code : null,
    error: messageOf(failure),
    hint: typeof hint === 'string' ? hint : '',
    cause: null,
    failure,
  };
}

export function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
