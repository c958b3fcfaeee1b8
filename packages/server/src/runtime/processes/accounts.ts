// Unix accounts and groups, as the system's own files list them.
import { readFileSync } from 'node:fs';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Null when there is no such account. */
export function findAccount(name: string): Account | null {
  const line = linesOf('/etc/passwd').find((fields) => fields[0] === name);
  return line ? { name, uid: Number(line[2]), gid: Number(line[3]) } : null;
}

/** Whatever its name: an account of uid 0, or of group 0, is root. */
export function isRoot(account: Account): boolean {
  return !(account.uid > 0 && account.gid > 0);
}

export function belongsTo(account: Account, group: string): boolean {
  const line = linesOf('/etc/group').find((fields) => fields[0] === group);
  return (
    line !== undefined &&
    (Number(line[2]) === account.gid || (line[3] ?? '').split(',').includes(account.name))
  );
}

function linesOf(file: string): string[][] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
}
