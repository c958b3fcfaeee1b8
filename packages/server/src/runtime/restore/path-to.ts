// The PATH of processes whose interpreter is not the system's.
import { dirname } from 'node:path';

const SYSTEM = ['/usr/local/bin', '/usr/bin', '/bin'];

/** Empty for an interpreter on the usual PATH. */
export function pathTo(file: string): Readonly<Record<string, string>> {
  const directory = dirname(file);
  return SYSTEM.includes(directory) ? {} : { PATH: [directory, ...SYSTEM].join(':') };
}
