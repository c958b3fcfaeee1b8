// Closes file descriptors that came from whatever started the server, such as a terminal's or the lock of a script:
// Node.js would pass those above the first 16 on to every process that it starts, content included.
import { closeSync, existsSync, readdirSync, readFileSync } from 'node:fs';

/** Linux: closed when a program is executed. Not among Node's constants. */
const O_CLOEXEC = 0o2000000;

const OPEN = '/proc/self/fd';

export function closeInherited(): void {
  if (!existsSync(OPEN)) return;
  for (const fd of readdirSync(OPEN).map(Number)) {
    // Node.js opens its own with this flag.
    if (fd > 2 && ((flagsOf(fd) ?? O_CLOEXEC) & O_CLOEXEC) === 0) closeSync(fd);
  }
}

/** Null if it is closed, as that of the listing is. */
function flagsOf(fd: number): number | null {
  try {
    const [, flags = ''] = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
    return Number.parseInt(flags, 8);
  } catch {
    return null;
  }
}
