import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bytesOfDeleted } from './deleted-files.ts';
import { watchDisk } from './disk-use.ts';
import { removeTree } from './remove-tree.ts';

const UNKNOWN = { before: null, isOver: false };

test('counts a minimum for each file: empty ones use up the disk, too', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-disk-use-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(directory, { recursive: true }));
  const [du, calls, files] = ['du', 'calls', 'files'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(du, `#!/bin/sh\n/usr/bin/du "$@"\necho >>${calls}\n`, { mode: 0o755 });
  await mkdir(files);
  const ended = Promise.withResolvers<void>();
  const watch = watchDisk({
    pid: undefined,
    paths: [files],
    use: UNKNOWN,
    limit: 2 ** 20,
    du,
    onOver: ended.resolve,
  });
  stack.defer(() => watch.stop());
  const counted = async () => (await readFile(calls, 'utf8').catch(() => '')).length;
  await expect.poll(counted).toBe(2);
  for (let i = 0; i < 500; i += 1) await writeFile(join(files, String(i)), '');
  await ended.promise;
});

test('counts although more complaints are printed than fit in memory', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-disk-use-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(directory, { recursive: true }));
  const [du, calls] = [join(directory, 'du'), join(directory, 'calls')];
  // As for files with long paths that content creates and removes all the time.
  const complaints = 'yes "du: cannot access" | head -c 3000000 >&2';
  const total = `echo >>${calls}\nprintf '%s\\ttotal\\n' "$(wc -c <${calls})000"`;
  await writeFile(du, `#!/bin/sh\n${complaints}\n${total}\nexit 1\n`, { mode: 0o755 });
  const ended = Promise.withResolvers<void>();
  const watch = watchDisk({
    pid: undefined,
    paths: [directory],
    use: UNKNOWN,
    limit: 1500,
    du,
    onOver: ended.resolve,
  });
  stack.defer(() => watch.stop());
  await ended.promise;
  expect(watch.isOver()).toBe(true);
});

test('does not count existing files as new after a failed first count', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-disk-use-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(directory, { recursive: true }));
  const [du, calls] = [join(directory, 'du'), join(directory, 'calls')];
  // The first call fails, as if no more processes could be started.
  const script = `#!/bin/sh\necho >>${calls}\n[ "$(wc -l <${calls})" -gt 1 ] || exit 1\nprintf '5000\\ttotal\\n'\n`;
  await writeFile(du, script, { mode: 0o755 });
  const watch = watchDisk({
    pid: undefined,
    paths: [directory],
    use: UNKNOWN,
    limit: 1000,
    du,
    onOver: () => undefined,
  });
  stack.defer(() => watch.stop());
  const counted = async () => (await readFile(calls, 'utf8').catch(() => '')).length;
  await expect.poll(async () => watch.isOver() || (await counted()) > 2).toBe(true);
  expect(watch.isOver()).toBe(false);
});

test.runIf(process.getuid?.() === 0)(
  'counts deleted files that another account has open, with the capabilities of the systemd unit',
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'pressroom-disk-use-'));
    await using stack = new AsyncDisposableStack();
    stack.defer(() => rm(directory, { recursive: true }));
    await chmod(directory, 0o777);
    const unit = await readFile(join(import.meta.dirname, '../../../packaging/pressroom.service'), 'utf8');
    const names = unit.match(/(?<=^CapabilityBoundingSet=.*CAP_)\w+/gm) ?? [];
    const script = 'exec 3> file; rm file; head -c 1M /dev/zero >&3; echo; exec sleep 600';
    const holder = spawn('sh', ['-c', script], { cwd: directory, uid: 65_534, gid: 65_534 });
    stack.defer(() => void holder.kill('SIGKILL'));
    await once(holder.stdout, 'data');
    const code = `import { bytesOfDeleted } from '${join(import.meta.dirname, 'deleted-files.ts')}';
    console.log(await bytesOfDeleted(${holder.pid}, ['${directory}']));`;
    const bounding = ['-all', ...names.map((name) => `+${name.toLowerCase()}`)].join();
    const args = [`--bounding-set=${bounding}`, process.execPath, '--input-type=module', '--eval', code];
    expect(Number(execFileSync('setpriv', args))).toBeGreaterThanOrEqual(2 ** 20);
  },
);

const SIZE = 2 ** 20;
/** Python that keeps a deleted file, and tells once it does; and where. */
const HOLDERS: Readonly<Record<string, string>> = {
  'mapped at a low address': 'map(0x300000, make()); tell()',
  'open in a thread with open files of its own':
    'run(lambda: [libc.unshare(0x400), globals().update(kept=make()), tell(), time.sleep(600)])',
  'open in a process whose first thread has ended':
    'kept = make(); run(lambda: [until_ended(), tell(), time.sleep(600)]); libc.pthread_exit(None)',
  'mapped among more and longer paths than fit in memory': `
for _ in range(40):
    os.mkdir("d" * 255)
    os.chdir("d" * 255)
file = os.open("mapped", os.O_RDWR | os.O_CREAT)
os.write(file, b"x")
for _ in range(60000):
    map(None, file)
last = make()
map(None, last)
os.close(last)
tell()`,
};

test.runIf(process.getuid?.() === 0).each(Object.entries(HOLDERS))(
  'counts a deleted file that is %s',
  async (_where, hold) => {
    const directory = await mkdtemp(join(tmpdir(), 'pressroom-disk-use-'));
    await using stack = new AsyncDisposableStack();
    stack.defer(() => removeTree(directory));
    const code = `
import ctypes, os, threading, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
def make():
    file = os.open("file", os.O_RDWR | os.O_CREAT)
    os.write(file, b"x" * ${SIZE})
    os.unlink("file")
    return file
def map(at, file):
    assert libc.mmap(at, 4096, 1, 0x02 if at is None else 0x12, file, 0) not in (None, 2**64 - 1)
    if at is not None: os.close(file)
def run(work): threading.Thread(target=work).start()
def tell(): os.write(1, b".")
def until_ended():
    while "Z" not in open(f"/proc/self/task/{os.getpid()}/stat").read(): time.sleep(0.01)
${hold}
time.sleep(600)`;
    const holder = spawn('python3', ['-c', code], { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] });
    stack.defer(() => void holder.kill('SIGKILL'));
    await once(holder.stdout, 'data');
    expect(await bytesOfDeleted(holder.pid!, [directory])).toBe(SIZE);
  },
);
