// The PATH of processes whose interpreter is not one of the system's.
import { dirname } from 'node:path';

const SYSTEM = ['/usr/local/bin', '/usr/bin', '/bin'];

/** Nothing for an interpreter that the usual PATH leads to. */
export function pathTo(file: string): Readonly<Record<string, string>> {
  const directory = dirname(file);
  return SYSTEM.includes(directory) ? {} : { PATH: [directory, ...SYSTEM].join(':') };
}
