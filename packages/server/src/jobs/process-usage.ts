// Resource usage of process trees, as the kernel counts it (proc(5)). Empty without /proc.
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

export interface Usage {
  /** Current CPU usage: 1 is one processor. */
  readonly cpu: number;
  /** CPU seconds since their start. */
  readonly cpuSeconds: number;
  /** Bytes; shared memory counts for each process. */
  readonly memory: number;
}

/** Milliseconds over which current usage is measured. */
const MEASURED_MS = 200;
/** Clock ticks per second, as Linux reports times to programs. */
const TICKS = 100;

interface ProcessRow {
  readonly parent: number;
  /** CPU seconds of its threads and of its ended children. */
  readonly cpuSeconds: number;
}

/** By process id, for processes that still exist. */
export async function usageOf(pids: readonly number[]): Promise<Map<number, Usage>> {
  if (pids.length === 0) return new Map();
  const begun = performance.now();
  const before = await processTable();
  await delay(MEASURED_MS);
  const [table, seconds] = [await processTable(), (performance.now() - begun) / 1000];
  const usages = pids.map(async (pid): Promise<[number, Usage] | null> => {
    const tree = treeOf(table, pid);
    if (tree.length === 0) return null;
    const used = sum(tree.map((one) => table.get(one)?.cpuSeconds ?? 0));
    const usedBefore = sum(treeOf(before, pid).map((one) => before.get(one)?.cpuSeconds ?? 0));
    const cpu = Math.max(0, (used - usedBefore) / seconds);
    const memory = sum(await Promise.all(tree.map(memoryOf)));
    return [pid, { cpu: Math.round(cpu * 100) / 100, cpuSeconds: Math.floor(used), memory }];
  });
  return new Map((await Promise.all(usages)).filter((usage) => usage !== null));
}

/** A process and its descendants; empty if it is gone. */
function treeOf(table: ReadonlyMap<number, ProcessRow>, root: number): number[] {
  if (!table.has(root)) return [];
  const found = [root];
  for (const parent of found) {
    for (const [pid, row] of table) if (row.parent === parent) found.push(pid);
  }
  return found;
}

async function processTable(): Promise<Map<number, ProcessRow>> {
  const names = await readdir('/proc').catch(() => []);
  const rows = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => [Number(name), await statOf(name)] as const),
  );
  return new Map(rows.filter((row): row is readonly [number, ProcessRow] => row[1] !== null));
}

/** Null if it has ended. */
async function statOf(pid: string): Promise<ProcessRow | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // After the name, which may contain anything: state, parent, …, and the four times as fields 14 to 17 in total.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (fields.length < 20) return null;
  const cpuSeconds = sum(fields.slice(11, 15).map(Number)) / TICKS;
  return { parent: Number(fields[1]), cpuSeconds };
}

async function memoryOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
