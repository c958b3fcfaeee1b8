// Edits live messages within one budget per workspace: only the newest state, final states first and never lost.
import type { ClientClock } from '@pressroom/api/client';
import type { Logger } from 'pino';
import { pauseAfter, slackFailure } from './slack-failure.ts';

export interface Editor extends AsyncDisposable {
  /** Shows a state soon, unless a newer one replaces it. */
  progress(edit: Edit): void;
  /** Resolves when the state is shown, or the message was deleted. */
  final(edit: Edit): Promise<void>;
  /** Changes the number of expected final edits, which are reserved in the budget. */
  expect(team: string, change: 1 | -1): void;
}

export interface Edit {
  readonly team: string;
  /** Edits of the same message replace each other. */
  readonly id: string;
  /** Renders and sends; throws SlackFailure. @param plain text only, if Slack refuses the blocks */
  readonly send: (plain: boolean) => Promise<void>;
}

export interface EditorOptions {
  /** Takes one edit from the budget of the last minute, if fewer than `most` were taken. */
  readonly take: (team: string, most: number) => Promise<boolean>;
  /** Edits per minute and workspace. */
  readonly budget: number;
  readonly clock: ClientClock;
  readonly log: Logger;
  readonly onEdit?: (result: 'done' | 'busy' | 'failed' | 'gone') => void;
}

interface Waiting extends Edit {
  readonly final: boolean;
  readonly since: number;
  readonly done: PromiseWithResolvers<void> | null;
  failures: number;
  /** Time before which nothing is sent. */
  notBefore: number;
  plain: boolean;
}

interface Lane {
  readonly waiting: Map<string, Waiting>;
  readonly lastEdit: Map<string, number>;
  /** Edits in progress by message: one at a time, to keep their order. */
  readonly running: Map<string, Waiting>;
  expected: number;
  pausedUntil: number;
  /** The time of the last look. */
  seen: number;
  timer: boolean;
}

const AT_ONCE = 8;
/** Milliseconds between edits of one message. */
const GAP = 2000;
const AGAIN = 500;
/** Edits reserved for final states. */
const SPARE = 2;
/** Unknown failures after which a message is dropped; and after which plain text is tried. */
const UNKNOWN_FAILURES = 120;
const PLAIN_AFTER = 3;
/** Failures after which even plain text is dropped, unless the app is changed: about fifteen minutes. */
const REFUSED_FAILURES = 35;

export function createEditor({ take, budget, clock, log, onEdit = () => undefined }: EditorOptions): Editor {
  const lanes = new Map<string, Lane>();
  const stop = new AbortController();
  const under = new Set<Promise<void>>();

  function laneOf(team: string): Lane {
    let lane = lanes.get(team);
    if (!lane) {
      lane = {
        waiting: new Map(),
        lastEdit: new Map(),
        running: new Map(),
        expected: 0,
        pausedUntil: 0,
        seen: 0,
        timer: false,
      };
      lanes.set(team, lane);
    }
    return lane;
  }

  function later(lane: Lane, milliseconds: number): void {
    if (lane.timer || stop.signal.aborted) return;
    lane.timer = true;
    clock
      .sleep(milliseconds, stop.signal)
      .then(() => {
        lane.timer = false;
        pump(lane);
      })
      .catch(() => undefined);
  }

  function next(lane: Lane): Waiting | undefined {
    const now = clock.now();
    const all = [...lane.waiting.values()]
      .filter(({ id, notBefore }) => !lane.running.has(id) && notBefore <= now)
      .sort((a, b) => a.since - b.since);
    return (
      all.find(({ final }) => final) ?? all.find(({ id }) => now - (lane.lastEdit.get(id) ?? -GAP) >= GAP)
    );
  }

  /** After the clock was set back, pauses would last until it is there again. */
  function look(lane: Lane): void {
    const now = clock.now();
    if (now < lane.seen) {
      lane.pausedUntil = 0;
      lane.lastEdit.clear();
      for (const edit of lane.waiting.values()) edit.notBefore = 0;
    }
    lane.seen = now;
  }

  function pump(lane: Lane): void {
    look(lane);
    while (lane.running.size < AT_ONCE && lane.waiting.size > 0 && !stop.signal.aborted) {
      const wait = lane.pausedUntil - clock.now();
      if (wait > 0) return later(lane, wait);
      const edit = next(lane);
      if (!edit) return later(lane, AGAIN);
      lane.waiting.delete(edit.id);
      lane.running.set(edit.id, edit);
      const work = run(lane, edit).finally(() => {
        lane.running.delete(edit.id);
        under.delete(work);
        if (lane.waiting.size > 0) pump(lane);
      });
      under.add(work);
    }
  }

  async function run(lane: Lane, edit: Waiting): Promise<void> {
    const most = edit.final ? budget : Math.max(0, budget - lane.expected - SPARE);
    try {
      if (!(await take(edit.team, most))) {
        putBack(lane, edit);
        lane.pausedUntil = Math.max(lane.pausedUntil, clock.now() + AGAIN);
        return;
      }
      lane.lastEdit.set(edit.id, clock.now());
      await edit.send(edit.plain);
      onEdit('done');
      finish(lane, edit);
    } catch (error) {
      const failure = slackFailure(error);
      const { kind, word } = failure;
      edit.failures += 1;
      const isUnknown = kind === 'unknown' || kind === 'refused';
      const most = kind === 'refused' ? REFUSED_FAILURES : UNKNOWN_FAILURES;
      const isOver = isUnknown && edit.failures > most;
      if (kind === 'gone' || isOver) {
        onEdit('gone');
        log.warn({ word, notice: edit.id }, 'editing a message failed');
        return finish(lane, edit);
      }
      onEdit(kind === 'busy' ? 'busy' : 'failed');
      const until = clock.now() + pauseAfter(failure, edit.failures);
      // A problem of one message must not block others.
      if (isUnknown) edit.notBefore = until;
      else lane.pausedUntil = Math.max(lane.pausedUntil, until);
      if (kind === 'refused' || (isUnknown && edit.failures >= PLAIN_AFTER)) edit.plain = true;
      putBack(lane, edit);
    }
  }

  /** Unless a newer state is queued. */
  function putBack(lane: Lane, edit: Waiting): void {
    const newer = lane.waiting.get(edit.id);
    if (!newer || (edit.final && !newer.final)) lane.waiting.set(edit.id, edit);
  }

  function finish(lane: Lane, edit: Waiting): void {
    edit.done?.resolve();
    if (edit.final) lane.lastEdit.delete(edit.id);
  }

  function add(edit: Edit, final: boolean): Waiting {
    const lane = laneOf(edit.team);
    const before = lane.waiting.get(edit.id);
    const waiting: Waiting = {
      ...edit,
      final,
      since: before?.since ?? clock.now(),
      done: final ? Promise.withResolvers<void>() : null,
      failures: 0,
      notBefore: before?.notBefore ?? 0,
      plain: false,
    };
    const ending = [before, lane.running.get(edit.id)].find((other) => other?.final === true);
    if (ending && !final) return ending;
    lane.waiting.set(edit.id, waiting);
    pump(lane);
    return waiting;
  }

  return {
    progress: (edit) => void add(edit, false),
    final: (edit) =>
      stop.signal.aborted ? Promise.reject(new Error('the bot is stopping')) : add(edit, true).done!.promise,
    expect(team, change) {
      laneOf(team).expected += change;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.allSettled(under);
      for (const lane of lanes.values()) {
        for (const { done } of lane.waiting.values()) done?.reject(new Error('the bot is stopping'));
      }
    },
  };
}
