// Prepared processes: each has loaded the packages of one deploy but none of its code, and is forked for new processes.
// Without one, or if it fails, processes start normally.
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { timerMs } from '../../platform/clock.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Command } from '../sandbox/command.ts';
import type { Launched, Launcher } from '../sandbox/launcher.ts';
import { identitiesOf, keyOf, preparing, readsFiles, scriptIn, type Subject } from './subject.ts';
import { readsOwn } from './variables.ts';

export interface PreparedProcesses extends AsyncDisposable {
  /**
   * Null if the process must start normally.
   * @param env all variables of the process; the prepared one had none of the publisher's
   * @param command of a normal start
   */
  fork(
    subject: Subject,
    env: Readonly<Record<string, string>>,
    onLine: (line: string) => void,
    command: (temporary: string, socket: string) => Command,
  ): Promise<Launched | null>;
  /** In the background, unless there is one: for processes after the one that has just started. */
  prepare(subject: Subject): void;
  /** A forked process did not start: the next ones start normally. */
  distrust(subject: Subject, why: string): void;
  /** Stops forking for deploys of a content item; prepared processes end after those forked from them. */
  retire(contentGuid: string, isKept?: (subject: Subject) => boolean): void;
  /** Like `retire`, but immediately; settles when all have ended. */
  end(contentGuid: string): Promise<void>;
}

export interface PreparedOptions {
  readonly launcher: Launcher;
  /** Maximum number; 0 turns them off. */
  readonly most: number;
  /** Seconds without forked processes until they end; 0 means never. */
  readonly idle: number;
  /** Seconds for loading packages; 0 for no limit. */
  readonly initTimeout: number;
  /** Environment of every process; contains no secrets. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: Logger;
}

interface Entry {
  readonly key: string;
  readonly subject: Subject;
  readonly launching: Promise<Launched>;
  launched: Launched | null;
  isReady: boolean;
  isRetired: boolean;
  /** Variables that its packages read while loading. */
  reads: ReadonlySet<string>;
  readonly identities: string;
  live: number;
  lastUse: number;
  timer: NodeJS.Timeout | undefined;
}

const REMEMBERED = 1000;
/** Packages left out, one after another, because they break in a fork. */
const MAX_SKIPPED = 4;
/** Failures of one deploy after which it gets no more. */
const MAX_BROKEN = 2;
const REPORT = /^@prepared (\w+) ?(.*)$/s;

export function createPrepared(options: PreparedOptions): PreparedProcesses {
  const { launcher, most, idle, initTimeout, env: common, log } = options;
  const isOn = launcher.forks && most > 0;
  const entries = new Set<Entry>();
  const skipped = new LRUCache<string, string[]>({ max: REMEMBERED });
  const broken = new LRUCache<string, number>({ max: REMEMBERED });
  let isClosed = false;

  const find = (key: string) => [...entries].find((entry) => entry.key === key && !entry.isRetired);

  function makeRoom(): boolean {
    if (entries.size < most) return true;
    const [oldest] = [...entries].filter(({ live }) => live === 0).sort((a, b) => a.lastUse - b.lastUse);
    // One being prepared would be discarded before its first use.
    if (!oldest?.isReady) return false;
    retireEntry(oldest);
    return true;
  }

  function retireEntry(entry: Entry): void {
    entry.isRetired = true;
    if (entry.live > 0) return;
    clearTimeout(entry.timer);
    void entry.launching.then((launched) => launched.stop()).catch(() => undefined);
  }

  function noteBroken(key: string, subject: Subject, why: string): void {
    broken.set(key, (broken.get(key) ?? 0) + 1);
    log.warn({ content: subject.contentGuid, why }, 'a prepared process failed');
  }

  function prepare(subject: Subject): void {
    const key = keyOf(subject);
    if (!isOn || isClosed || !subject.engine.prepares || find(key)) return;
    if ((broken.get(key) ?? 0) >= MAX_BROKEN || readsFiles(subject.command.cwd) || !makeRoom()) return;
    const left = skipped.get(key) ?? [];
    const launching = launcher.launch({
      runAs: subject.runAs,
      content: subject.contentGuid,
      onLine: (line) => hear(entry, line),
      command: () => preparing(subject, left, common),
    });
    const identities = identitiesOf(subject.command);
    const entry: Entry = {
      key,
      subject,
      launching,
      identities,
      launched: null,
      isReady: false,
      isRetired: false,
      reads: new Set(),
      live: 0,
      lastUse: performance.now(),
      timer:
        initTimeout > 0
          ? setTimeout(() => giveUp(entry, 'its packages take too long'), timerMs(initTimeout)).unref()
          : undefined,
    };
    entries.add(entry);
    launching.then(
      (launched) => {
        entry.launched = launched;
        if (isClosed) void launched.stop();
        void launched.ended.then(({ message }) => hasEnded(entry, message));
      },
      (error: unknown) => hasEnded(entry, messageOf(error)),
    );
  }

  function giveUp(entry: Entry, why: string): void {
    if (entry.isRetired) return;
    noteBroken(entry.key, entry.subject, why);
    retireEntry(entry);
  }

  /** Its own messages are trusted: lies would only harm its content. */
  function hear(entry: Entry, line: string): void {
    const [, word, rest = ''] = REPORT.exec(line) ?? [];
    if (word === 'reads') entry.reads = new Set(rest.split(' ').filter(Boolean));
    else if (word === 'ready') becameReady(entry);
    else if (word === 'unsafe') leaveOut(entry, rest);
    else log.debug({ content: entry.subject.contentGuid }, 'prepared process: %s', line);
  }

  function becameReady(entry: Entry): void {
    clearTimeout(entry.timer);
    entry.isReady = true;
    entry.lastUse = performance.now();
    waitIdle(entry);
    log.debug({ content: entry.subject.contentGuid }, 'prepared a process');
  }

  function leaveOut(entry: Entry, rest: string): void {
    const [name = '', ...why] = rest.split(' ');
    const left = skipped.get(entry.key) ?? [];
    log.info({ content: entry.subject.contentGuid, package: name }, 'not prepared: it %s', why.join(' '));
    retireEntry(entry);
    if (left.length >= MAX_SKIPPED || left.includes(name)) {
      broken.set(entry.key, MAX_BROKEN);
      return;
    }
    skipped.set(entry.key, [...left, name]);
    void entry.launching
      .then(({ ended }) => ended)
      .then(() => prepare(entry.subject))
      .catch(() => undefined);
  }

  function hasEnded(entry: Entry, message: string): void {
    clearTimeout(entry.timer);
    entries.delete(entry);
    if (!entry.isRetired && !isClosed) noteBroken(entry.key, entry.subject, message);
  }

  function waitIdle(entry: Entry): void {
    clearTimeout(entry.timer);
    if (idle > 0) entry.timer = setTimeout(() => retireEntry(entry), timerMs(idle)).unref();
  }

  function isUsable(entry: Entry | undefined, env: Readonly<Record<string, string>>): entry is Entry {
    if (!entry?.isReady || entry.launched === null || readsOwn(entry.reads, env, common)) return false;
    if (entry.identities === identitiesOf(entry.subject.command)) return true;
    // Its files were restored anew: it still has the old ones.
    retireEntry(entry);
    return false;
  }

  return {
    prepare,
    async fork(subject, env, onLine, commandFor) {
      const key = keyOf(subject);
      const entry = isOn && !isClosed ? find(key) : undefined;
      if (!isUsable(entry, env) || readsFiles(subject.command.cwd)) return null;
      entry.live += 1;
      entry.lastUse = performance.now();
      clearTimeout(entry.timer);
      const leave = () => {
        entry.live -= 1;
        if (entry.live > 0) return;
        if (entry.isRetired) retireEntry(entry);
        else waitIdle(entry);
      };
      try {
        const launched = await launcher.fork({
          from: entry.launched!,
          onLine,
          order(temporary, socket) {
            const command = commandFor(temporary, socket);
            return { args: command.args.slice(scriptIn(command) + 1), env: { ...env, ...command.env } };
          },
        });
        void launched.ended.then(leave);
        return launched;
      } catch (error) {
        giveUp(entry, messageOf(error));
        leave();
        return null;
      }
    },
    distrust(subject, why) {
      const key = keyOf(subject);
      broken.set(key, MAX_BROKEN);
      const entry = find(key);
      if (entry) giveUp(entry, why);
    },
    retire(contentGuid, isKept = () => false) {
      for (const entry of entries)
        if (entry.subject.contentGuid === contentGuid && !isKept(entry.subject)) retireEntry(entry);
    },
    async end(contentGuid) {
      const own = [...entries].filter(({ subject }) => subject.contentGuid === contentGuid);
      await Promise.all(own.map(endNow));
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await Promise.all([...entries].map(endNow));
    },
  };
}

async function endNow(entry: Entry): Promise<void> {
  entry.isRetired = true;
  const launched = await entry.launching.catch(() => null);
  await launched?.stop();
}
