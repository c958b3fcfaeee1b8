// A process that stands still, as on a machine that sleeps.
import { readFileSync } from 'node:fs';

/** Pauses a process (SIGSTOP) and its children, until the end of the scope. */
export function pauseProcesses(parent: number): Disposable {
  // The parent stops first and continues last, so that the id of a child that ends meanwhile (`du`) is not freed.
  process.kill(parent, 'SIGSTOP');
  const listed = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8');
  const children = listed.split(' ').filter(Boolean).map(Number);
  for (const child of children) process.kill(child, 'SIGSTOP');
  const paused = [...children, parent];
  return {
    [Symbol.dispose]() {
      for (const pid of paused.splice(0)) process.kill(pid, 'SIGCONT');
    },
  };
}
