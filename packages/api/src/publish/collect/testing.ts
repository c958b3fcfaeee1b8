// Helpers for the tests of the bundle code: real directories on a real disk.
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface TemporaryTree {
  dir: string;
  write: (name: string, content: string | Buffer) => void;
  [Symbol.dispose]: () => void;
}

/** A directory with these files, removed at the end of its scope. */
export function createTree(files: Record<string, string | Buffer> = {}): TemporaryTree {
  const dir = mkdtempSync(path.join(tmpdir(), 'pressroom-bundle-'));
  function write(name: string, content: string | Buffer): void {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), content);
  }
  for (const [name, content] of Object.entries(files)) write(name, content);
  return { dir, write, [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }) };
}

/** Open descriptors of this process below `dir`. */
export function openBelow(dir: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`);
      return target.startsWith(dir) ? [target] : [];
    } catch {
      return [];
    }
  });
}
