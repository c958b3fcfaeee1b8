// Covers read-only disks: Node's recursive mkdir gives ENOENT there.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diskRefusal } from './disk-refusal.ts';

const URL_OF = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
const PROGRAM = `
const { mkdir } = await import('node:fs/promises');
const { diskRefusal } = await import(${URL_OF('disk-refusal.ts')});
const { makeDataDirectory } = await import(${URL_OF('make-data-directory.ts')});
const path = process.argv[1] + '/a/b';
await mkdir(path, { recursive: true }).catch((error) => console.log(error.code, diskRefusal(error)?.message));
try { makeDataDirectory(path) } catch (error) { console.log(error.message) }
`;

test('names a read-only disk where a directory cannot be created', () => {
  const disk = mkdtempSync(join(tmpdir(), 'pressroom-read-only-'));
  try {
    const mount = 'mount -t tmpfs -o ro tmpfs "$1" && exec "$2" --input-type=module --eval "$3" "$1"';
    const printed = execFileSync(
      'unshare',
      ['--mount', '--map-root-user', 'sh', '-c', mount, 'sh', disk, process.execPath, PROGRAM],
      { encoding: 'utf8' },
    );
    expect(printed.trim().split('\n')).toEqual([
      'ENOENT The disk of the server is read-only. Its administrator has to make it writable.',
      `Server.DataDir cannot be made: the disk of ${disk} is read-only`,
    ]);
  } finally {
    rmSync(disk, { recursive: true });
  }
});

test('does not blame the disk for a file that is missing', () => {
  const missing = { code: 'ENOENT', syscall: 'open', path: '/nowhere/file' };
  expect(diskRefusal(Object.assign(new Error('missing'), missing))).toBeNull();
  expect(diskRefusal(null)).toBeNull();
});
