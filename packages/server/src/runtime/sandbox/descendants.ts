// Descendants of a process, according to the kernel only, never to the processes.
import { readdir, readFile } from 'node:fs/promises';

/** Pid and start time, which together identify a process. */
export interface Seen {
  readonly pid: number;
  readonly began: string;
}

interface Status extends Seen {
  readonly isOver: boolean;
}

/** Null if it has ended. */
export async function look(pid: number): Promise<Status | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  if (text === null) return null;
  // The name in brackets may contain anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  // Without its first thread, a process goes on in the others.
  const isOver = fields[0] === 'X' || (fields[0] === 'Z' && Number(fields[17]) <= 1);
  return { pid, began: fields[19] ?? '', isOver };
}

export async function isAlive({ pid, began }: Seen): Promise<boolean> {
  const now = await look(pid);
  return now !== null && now.began === began && !now.isOver;
}

/** Those that any of its threads started. Empty if it has ended. */
export async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = threads.map((thread) =>
    readFile(`/proc/${pid}/task/${thread}/children`, 'latin1').catch(() => ''),
  );
  return (await Promise.all(lists)).flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** The child with this pid in its own namespace. */
export async function findChild(parent: number, inner: number): Promise<Seen | null> {
  for (const pid of await childrenOf(parent)) {
    const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
    const own = /^NSpid:.*\t(\d+)$/m.exec(status)?.[1];
    if (Number(own) === inner) return look(pid);
  }
  return null;
}

const MAX_PROCESSES = 10_000;

/** A process and its descendants, itself first. */
export async function descendantsOf(top: Seen): Promise<Seen[]> {
  const found: Seen[] = [top];
  for (let i = 0; i < found.length && found.length < MAX_PROCESSES; i++) {
    for (const pid of await childrenOf(found[i]!.pid)) {
      const child = await look(pid);
      if (child) found.push(child);
    }
  }
  return found;
}

/** False if it has ended. */
export function send({ pid }: Pick<Seen, 'pid'>, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
