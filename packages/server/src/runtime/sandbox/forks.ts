// Processes forked from a prepared one, inside its confinement: each has its own limits, output and orders, is
// signalled and watched individually, and ends with its parent at the latest.
import { rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { endsWithin } from '../../platform/ends-within.ts';
import type { Account } from './accounts.ts';
import type { Cgroups } from './cgroups.ts';
import { makePipes } from './channel.ts';
import type { Command } from './command.ts';
import { descendantsOf, findChild, isAlive, send, type Seen } from './descendants.ts';
import { type UseAtStart, watchDisk } from './disk-use.ts';
import { openForReading, openForWriting, readLines } from './named-pipes.ts';
import { removeTree } from './remove-tree.ts';
import { usualVariables, VARIABLE, zoneOfMachine } from './script.ts';
import type { Exit, ForkRequest, Output, Started } from './starter.ts';
import type { Tools } from './tools.ts';

/** Milliseconds for a fork to report its pid: it runs only our code, but the machine may be busy. */
const FORK_MS = 5000;
/** Milliseconds between checks of a process that has not reported its end. */
const LOOK_MS = 500;
/** Milliseconds that output may stay open after its process has ended: another process may hold it. */
const OUTPUT_GRACE_MS = 2000;
/** Milliseconds between checks of an ending process. */
const SOON_MS = 10;

export interface ForkOptions {
  readonly tools: Tools;
  readonly cgroups: Cgroups | null;
  readonly memory: number;
  readonly processes: number;
  readonly disk: number;
  readonly grace: number;
  readonly useAtStart: (paths: readonly string[]) => Promise<UseAtStart>;
}

/** A process to fork from. */
export interface Prepared {
  readonly account: Account | null;
  readonly command: Command;
  /** Its private directory, shared with its children. */
  readonly own: string;
  /** Its pid outside the namespace; undefined if it has ended. */
  readonly pid: () => Promise<number | undefined>;
  readonly exited: Promise<unknown>;
  /** Directory of named pipes, which only this server writes. */
  readonly channel: string;
  readonly orders: Writable;
  /** Called at a fork: from now on writes of its children are watched. */
  readonly onFork: () => void;
  /** Ends leftover processes of its children, once there are none. */
  readonly sweep: () => Promise<void>;
  /** Its running children. */
  readonly live: Set<object>;
}

/** @throws if it does not fork: it has ended, or content broke it. */
export async function fork(
  prepared: Prepared,
  { id, args, env }: Omit<ForkRequest, 'of'>,
  onOutput: Output,
  options: ForkOptions,
): Promise<Started> {
  const { account, channel, own, command } = prepared;
  const { tools, cgroups, memory, processes, grace } = options;
  const paths = [own, ...(command.writable ?? [])];
  const counted = options.useAtStart(paths);
  await using stack = new AsyncDisposableStack();
  const number = nextNumber();
  const pipe = (kind: string) => join(channel, `${number}.${kind}`);
  const [input, output, errors, end] = [pipe('in'), pipe('out'), pipe('err'), pipe('end')];
  const pipes = [input, output, errors, end];
  stack.defer(async () => {
    for (const path of pipes) await rm(path, { force: true });
  });
  await makePipes(pipes, account, tools);
  const [stdout, stderr, fate] = [openForReading(output), openForReading(errors), openForReading(end)];
  const orders = openForWriting(input);
  stack.defer(() => [stdout, stderr, fate, orders].forEach((stream) => stream.destroy()));
  stdout.on('data', (chunk: Buffer) => onOutput(chunk, 'stdout'));
  stderr.on('data', (chunk: Buffer) => onOutput(chunk, 'stderr'));

  const forked = Promise.withResolvers<number>();
  const how: { code: number | null; signal: NodeJS.Signals | null; isOver: boolean } = {
    code: null,
    signal: null,
    isOver: false,
  };
  const spoke = Promise.withResolvers<void>();
  readLines(fate, (line) => {
    const [word, text] = line.split(' ');
    const value = Number(text);
    if (word === 'pid' && Number.isSafeInteger(value)) forked.resolve(value);
    else if (word === 'code' && Number.isSafeInteger(value)) how.code = value;
    else if (word === 'signal') how.signal = signalOf(value);
    else if (word === 'over') how.isOver = true;
    if (word !== 'pid') spoke.resolve();
  });
  fate.once('close', () => spoke.resolve());
  const use = await counted;
  if (use.isOver) throw new Error('the limit of the disk is used up');
  prepared.orders.write(`fork ${number}\n`);
  const inner = await within(FORK_MS, Promise.race([forked.promise, prepared.exited.then(gone)]));
  const above = await prepared.pid();
  const child = above === undefined ? null : await findChild(above, inner);
  if (child === null) throw new Error('the prepared process has no such child');
  prepared.onFork();

  const cgroup = (await cgroups?.create(id, { memory, processes })) ?? null;
  await cgroup?.add(child.pid);
  const variables = { ...usualVariables(`/tmp/${id}`, account, zoneOfMachine()), ...env };
  for (const line of ordersOf(args, variables)) orders.write(line);
  // Stays open: data that nobody has opened yet would be lost.
  orders.write('go\n');
  const kept = stack.move();

  const kill = async () => {
    const all = await descendantsOf(child);
    for (const one of all.toReversed()) send(one, 'SIGKILL');
  };
  const disk = watchDisk({
    pid: child.pid,
    paths,
    use,
    limit: options.disk,
    du: tools.du,
    onOver: () => void kill(),
  });
  let killedBy: NodeJS.Signals | null = null;
  const place = {};
  prepared.live.add(place);
  const exited = (async (): Promise<Exit> => {
    await untilGone(child, spoke.promise);
    disk.stop();
    const outOfMemory = (await cgroup?.ranOutOfMemory()) ?? false;
    // Ends its leftovers, if they can be told from others'.
    await cgroup?.remove();
    prepared.live.delete(place);
    if (prepared.live.size === 0) await prepared.sweep();
    await Promise.race([
      Promise.all([ended(stdout), ended(stderr)]),
      new Promise((resolve) => setTimeout(resolve, OUTPUT_GRACE_MS).unref()),
    ]);
    await kept.disposeAsync();
    for (const name of [id, `${id}.s`]) await removeTree(join(own, name)).catch(() => undefined);
    return { ...fateOf(how, killedBy), outOfMemory, overDisk: disk.isOver() };
  })();
  let stopping = false;
  return {
    pid: child.pid,
    exited,
    stop() {
      if (stopping) return;
      stopping = true;
      void (async () => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) {
          killedBy = signal;
          if (!(await isAlive(child)) || !send(child, signal) || (await endsWithin(exited, grace))) return;
        }
        killedBy = 'SIGKILL';
        await kill();
      })();
    },
    flow(flows) {
      for (const stream of [stdout, stderr]) {
        if (flows) stream.resume();
        else stream.pause();
      }
    },
  };
}

let last = 0;
function nextNumber(): number {
  last += 1;
  return last;
}

function gone(): never {
  throw new Error('the prepared process has ended');
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the prepared process does not respond')), milliseconds);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function ordersOf(args: readonly string[], env: Readonly<Record<string, string>>): string[] {
  const variables = Object.entries(env).filter(
    ([name, value]) => VARIABLE.test(name) && !value.includes('\0'),
  );
  return [
    ...args.map((arg) => `arg ${encodeURIComponent(arg)}\n`),
    ...variables.map(([name, value]) => `env ${name}=${encodeURIComponent(value)}\n`),
  ];
}

async function untilGone(child: Seen, spoke: Promise<void>): Promise<void> {
  let hasSpoken = false;
  void spoke.then(() => (hasSpoken = true));
  while (await isAlive(child)) {
    const wait = new Promise((resolve) => setTimeout(resolve, hasSpoken ? SOON_MS : LOOK_MS).unref());
    await (hasSpoken ? wait : Promise.race([wait, spoke]));
  }
}

function ended(stream: { readonly destroyed: boolean; once(event: 'close', done: () => void): unknown }) {
  return new Promise<void>((resolve) => {
    if (stream.destroyed) resolve();
    else stream.once('close', resolve);
  });
}

/** R's children report how they end: an exit without a report is an error, no exit a signal. */
function fateOf(
  { code, signal, isOver }: { code: number | null; signal: NodeJS.Signals | null; isOver: boolean },
  killedBy: NodeJS.Signals | null,
): Pick<Exit, 'code' | 'signal'> {
  if (code !== null || signal !== null) return { code: signal === null ? code : null, signal };
  return isOver ? { code: 1, signal: null } : { code: null, signal: killedBy ?? 'SIGKILL' };
}

function signalOf(number: number): NodeJS.Signals {
  const known = Object.entries(constants.signals).find(([, value]) => value === number);
  return (known?.[0] ?? 'SIGKILL') as NodeJS.Signals;
}
