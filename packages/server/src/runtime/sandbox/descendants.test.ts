import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { descendantsOf, look } from './descendants.ts';

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
