import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { watchDisk } from './disk-use.ts';

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
  const watch = watchDisk({ pid: undefined, paths: [files], limit: 2 ** 20, du, onOver: ended.resolve });
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
  const watch = watchDisk({ pid: undefined, paths: [directory], limit: 1500, du, onOver: ended.resolve });
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
