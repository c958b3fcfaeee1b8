// Events of crashed processes are limited for each content item.
import { expect, test } from 'vitest';
import type { Crash } from '../runtime/follow-process.ts';
import { createCrashRecorder } from './crash-event.ts';

const MINUTE = 60_000_000;

function recorder() {
  const seen = { now: MINUTE, written: 0 };
  const write = async () => {
    seen.written += 1;
    return undefined as never;
  };
  const record = createCrashRecorder({ write }, { now: () => seen.now });
  const crash = (contentGuid: string, isDraft = false) =>
    record({ contentGuid, isDraft } as unknown as Crash);
  return { seen, crash };
}

test('content that crashes at every visit sends one event a minute', async () => {
  const { seen, crash } = recorder();
  await crash('a');
  await crash('a');
  seen.now += MINUTE - 1;
  await crash('a');
  expect(seen.written).toBe(1);
  seen.now += 1;
  await crash('a');
  expect(seen.written).toBe(2);
});

test('the limit of one content item does not apply to another', async () => {
  const { seen, crash } = recorder();
  await crash('a');
  await crash('b');
  expect(seen.written).toBe(2);
});

test('a draft sends no event', async () => {
  const { seen, crash } = recorder();
  await crash('a', true);
  expect(seen.written).toBe(0);
});

test('the limit ends when the clock is set back', async () => {
  const { seen, crash } = recorder();
  await crash('a');
  seen.now -= 1;
  await crash('a');
  expect(seen.written).toBe(2);
});
