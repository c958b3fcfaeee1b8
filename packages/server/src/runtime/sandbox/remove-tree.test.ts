// Covers removal of trees that resist it, or that redirect it elsewhere.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chownTree } from './chown-tree.ts';
import { removeTree } from './remove-tree.ts';

let directory: string;
let tree: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-tree-'));
  tree = join(directory, 'tree');
  await chmod(directory, 0o755);
  await mkdir(tree);
});
afterEach(() => removeTree(directory));

/** Creates a tree deeper than the maximum path length. */
function makeDeep(): void {
  const script = `
import os, sys
os.chdir(sys.argv[1])
for _ in range(300):
    os.mkdir("d" * 100); os.chdir("d" * 100)
open("file", "w").close()`;
  execFileSync('/usr/bin/python3', ['-c', script, tree]);
}

it('removes a tree deeper than a path may be long', async () => {
  makeDeep();
  await expect(rm(tree, { recursive: true })).rejects.toThrow('ENAMETOOLONG');
  await removeTree(tree);
  expect(await readdir(directory)).toEqual([]);
});

it('removes a tree with names that are not UTF-8 and inaccessible directories', async () => {
  await mkdir(join(tree, 'a', 'b', 'c'), { recursive: true });
  await writeFile(Buffer.from(`${tree}/a/b/\xff`, 'latin1'), '');
  for (const path of ['a/b/c', 'a/b', 'a', '.']) await chmod(join(tree, path), 0);
  await removeTree(tree);
  expect(await readdir(directory)).toEqual([]);
});

it('removes links without their targets, and ignores a missing tree', async () => {
  const outside = join(directory, 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'file'), 'kept');
  await mkdir(join(tree, 'a', 'b'), { recursive: true });
  for (const place of ['link', 'a/link', 'a/b/link']) await symlink(outside, join(tree, place));
  await removeTree(tree);
  await symlink(outside, tree);
  await removeTree(tree);
  await removeTree(tree);
  expect(await readdir(directory)).toEqual(['outside']);
  expect(await readFile(join(outside, 'file'), 'utf8')).toBe('kept');
});

it('never leaves the tree when names change during its removal', async () => {
  const outside = join(directory, 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'file'), 'kept');
  // Another process keeps swapping a directory for a link to an outside one with the same names.
  const swap = `
import os, sys
tree, outside = sys.argv[1:]
os.chdir(tree)
print("begun", flush=True)
for _ in range(30000):
    try:
        os.makedirs("d/e"); open("d/file", "w").close(); open("d/e/file", "w").close()
        os.rename("d", "x"); os.symlink(outside, "d"); os.unlink("d"); os.rename("x", "d")
    except OSError: pass
    try: os.chdir(tree)
    except OSError: pass`;
  const swapping = spawn('/usr/bin/python3', ['-c', swap, tree, outside]);
  await once(swapping.stdout, 'data');
  while (swapping.exitCode === null) {
    await removeTree(tree);
    await mkdir(tree, { recursive: true });
  }
  expect(await readFile(join(outside, 'file'), 'utf8')).toBe('kept');
});

it.runIf(process.getuid!() === 0)(
  'changes the owner of a tree of any depth with few file descriptors',
  async () => {
    makeDeep();
    await chownTree(tree, { uid: 1, gid: 1 });
    // The new owner can remove the tree.
    execFileSync('/usr/bin/setpriv', [
      '--reuid=1',
      '--regid=1',
      '--clear-groups',
      'find',
      tree,
      '-mindepth',
      '1',
      '-delete',
    ]);
    expect(await readdir(tree)).toEqual([]);
  },
);

it.runIf(process.getuid!() === 0)('keeps the owner of a file that is hard-linked into the tree', async () => {
  const secret = join(directory, 'secret');
  await writeFile(secret, '');
  execFileSync('chown', ['-R', '2:2', tree]);
  execFileSync('ln', [secret, join(tree, 'second')]);
  await symlink(secret, join(tree, 'link'));
  await writeFile(join(tree, 'own'), '');
  await chownTree(tree, { uid: 1, gid: 1 });
  expect((await lstat(secret)).uid).toBe(0);
  expect((await lstat(join(tree, 'own'))).uid).toBe(1);
  expect((await lstat(join(tree, 'link'))).uid).toBe(1);
});
