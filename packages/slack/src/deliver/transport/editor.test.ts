import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createEditor, type Editor } from './editor.ts';
import { SlackFailure } from './slack-failure.ts';

/** A clock that the test advances. */
function manualClock() {
  let time = 1_000_000;
  const sleepers = new Set<{ until: number; wake: () => void }>();
  return {
    now: () => time,
    random: () => 0.5,
    sleep: (milliseconds: number) =>
      new Promise<void>((wake) => void sleepers.add({ until: time + milliseconds, wake })),
    /** Timers go on. */
    setBack(milliseconds: number): void {
      time -= milliseconds;
      for (const sleeper of sleepers) sleeper.until -= milliseconds;
    },
    /** Advances in steps, so that a timer may start another. */
    async advance(milliseconds: number): Promise<void> {
      for (const end = time + milliseconds; time < end;) {
        time += 100;
        for (const sleeper of sleepers) {
          if (sleeper.until > time) continue;
          sleepers.delete(sleeper);
          sleeper.wake();
        }
        for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      }
    },
  };
}

/** Creates an editor with the store's budget, and records the edits it sent. */
function world(budget: number) {
  const clock = manualClock();
  const sent: { id: string; state: string; time: number }[] = [];
  const failures: SlackFailure[] = [];
  const taken: number[] = [];
  const editor = createEditor({
    clock,
    budget,
    log: pino({ level: 'silent' }),
    async take(_team, most) {
      const recent = taken.filter((time) => time > clock.now() - 60_000).length;
      if (recent >= most) return false;
      taken.push(clock.now());
      return true;
    },
  });
  const edit = (id: string, state: string) => ({
    team: 'T1',
    id,
    send: async () => {
      const failure = failures.shift();
      if (failure) throw failure;
      sent.push({ id, state, time: clock.now() });
    },
  });
  return { clock, editor, sent, failures, edit };
}

const busiestMinute = (sent: readonly { time: number }[]) =>
  Math.max(
    0,
    ...sent.map(
      ({ time }) => sent.filter((other) => other.time > time - 60_000 && other.time <= time).length,
    ),
  );

function expecting(editor: Editor, count: number): void {
  for (let i = 0; i < count; i += 1) editor.expect('T1', 1);
}

test('edits a constantly changing message every two seconds with the newest state', async () => {
  const { clock, editor, sent, edit } = world(45);
  expecting(editor, 1);
  for (let i = 0; i < 100; i += 1) {
    editor.progress(edit('a', `state ${i}`));
    await clock.advance(100);
  }
  expect(sent.length).toBeGreaterThanOrEqual(4);
  expect(sent.length).toBeLessThanOrEqual(6);
  expect(sent.map(({ state }) => state)).toEqual([...new Set(sent.map(({ state }) => state))]);
});

test('forty deploys share one budget, and every final state is shown at once and last', async () => {
  const { clock, editor, sent, edit } = world(45);
  const ids = Array.from({ length: 40 }, (_, i) => `d${i}`);
  expecting(editor, ids.length);
  for (let step = 0; step < 300; step += 1) {
    for (const id of ids) editor.progress(edit(id, `step ${step}`));
    await clock.advance(200);
  }
  const began = clock.now();
  const finals = Promise.all(ids.map((id) => editor.final(edit(id, 'final'))));
  await clock.advance(5000);
  await finals;
  expect(busiestMinute(sent)).toBeLessThanOrEqual(45);
  for (const id of ids) {
    const last = sent.findLast((item) => item.id === id)!;
    expect(last.state).toBe('final');
    expect(last.time - began).toBeLessThan(5000);
  }
});

test('shows final states beyond the budget later', async () => {
  const { clock, editor, sent, edit } = world(10);
  const finals = Promise.all(Array.from({ length: 25 }, (_, i) => editor.final(edit(`d${i}`, 'final'))));
  await clock.advance(180_000);
  await finals;
  expect(sent).toHaveLength(25);
  expect(busiestMinute(sent)).toBeLessThanOrEqual(10);
});

test('retries a final state when Slack is busy or down, and sends no older one after it', async () => {
  const { clock, editor, sent, failures, edit } = world(45);
  failures.push(new SlackFailure('busy', 'ratelimited', 5000), new SlackFailure('down', 'HTTP 503'));
  editor.progress(edit('a', 'running'));
  const final = editor.final(edit('a', 'final'));
  editor.progress(edit('a', 'too late'));
  await clock.advance(3000);
  expect(sent).toEqual([]);
  await clock.advance(30_000);
  await final;
  expect(sent.map(({ state }) => state)).toEqual(['final']);
});

test('edits nothing before Slack allows it, however long that is', async () => {
  const { clock, editor, sent, failures, edit } = world(45);
  failures.push(new SlackFailure('busy', 'ratelimited', 60_000));
  const begun = clock.now();
  const done = editor.final(edit('a', 'final'));
  await clock.advance(70_000);
  await done;
  expect(sent.map(({ time }) => time - begun)).toEqual([expect.closeTo(60_000, -3)]);
});

test('ends the edits of a deleted message, and rejects pending ones when it stops', async () => {
  const { clock, editor, sent, failures, edit } = world(0);
  const never = editor.final(edit('a', 'final'));
  await clock.advance(1000);
  await Promise.all([expect(never).rejects.toThrow('is stopping'), editor[Symbol.asyncDispose]()]);
  const other = world(5);
  other.failures.push(new SlackFailure('gone', 'message_not_found'));
  await other.editor.final(other.edit('a', 'final'));
  expect([...sent, ...other.sent, ...failures]).toEqual([]);
});

test('a clock that was set back does not stop edits', async () => {
  const { clock, editor, sent, failures, edit } = world(45);
  editor.progress(edit('a', 'first'));
  await clock.advance(1000);
  failures.push(new SlackFailure('busy', 'ratelimited', 5000));
  const end = editor.final(edit('b', 'end'));
  await clock.advance(100);
  clock.setBack(900_000);
  await clock.advance(20_000);
  editor.progress(edit('a', 'second'));
  await clock.advance(5000);
  expect(sent.map(({ state }) => state)).toEqual(['first', 'end', 'second']);
  await end;
  await editor[Symbol.asyncDispose]();
});
