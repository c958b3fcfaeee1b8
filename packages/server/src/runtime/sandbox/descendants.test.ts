import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { descendantsOf, isAlive, look } from './descendants.ts';

test('processes that a thread started are descendants', async () => {
  // A thread that lives as long as its child.
  const code = `import subprocess, threading
def work():
    child = subprocess.Popen(["sleep", "60"], start_new_session=True)
    print(child.pid, flush=True)
    child.wait()
threading.Thread(target=work).start()`;
  const top = spawn('/usr/bin/python3', ['-c', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = (await once(top.stdout, 'data')) as [Buffer];
  const child = Number(String(printed));
  try {
    const found = await descendantsOf((await look(top.pid!))!);
    expect(found.map(({ pid }) => pid)).toEqual([top.pid, child]);
  } finally {
    process.kill(child, 'SIGKILL');
    top.kill('SIGKILL');
  }
});

test('a process is alive while any of its threads runs', async () => {
  const code = `import ctypes, os, threading, time
def work():
    while "Z" not in open(f"/proc/self/task/{os.getpid()}/stat").read(): time.sleep(0.01)
    print("first has ended", flush=True)
    time.sleep(60)
threading.Thread(target=work).start()
ctypes.CDLL(None).pthread_exit(None)`;
  const top = spawn('/usr/bin/python3', ['-c', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(top.stdout, 'data');
  const seen = (await look(top.pid!))!;
  expect(await isAlive(seen)).toBe(true);
  top.kill('SIGKILL');
  await once(top, 'exit');
  expect(await isAlive(seen)).toBe(false);
});
