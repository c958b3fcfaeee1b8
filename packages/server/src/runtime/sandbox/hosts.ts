// Files with the only host names that a confined command can look up.
import { existsSync } from 'node:fs';
import type { Command } from './command.ts';
import { HOSTS_FD, LOOKUP_FD } from './descriptors.ts';

/** As `/etc/nsswitch.conf`: the DNS is not asked. */
export const HOSTS_ONLY = 'hosts: files # of this command';

/** What is shown in place of files, by descriptor; empty if all names are looked up, or the files are not there. */
export function hostFiles({ hosts }: Command): { fd: number; path: string; text: string }[] {
  if (hosts === undefined) return [];
  const lines = Object.entries(hosts).flatMap(([host, ips]) => ips.map((ip) => `${ip} ${host}\n`));
  const files = [
    { fd: HOSTS_FD, path: '/etc/hosts', text: lines.join('') },
    { fd: LOOKUP_FD, path: '/etc/nsswitch.conf', text: `${HOSTS_ONLY}\n` },
  ];
  return files.every(({ path }) => existsSync(path)) ? files : [];
}
