// Unix accounts and groups from the system's own files.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Null if there is no such account. */
export function findAccount(name: string): Account | null {
  const line = linesOf('/etc/passwd').find((fields) => fields[0] === name);
  return line ? { name, uid: Number(line[2]), gid: Number(line[3]) } : null;
}

/** Above those that SSSD and FreeIPA assign to people by default, below those of systemd for files of other machines. */
export const CONTENT_ACCOUNTS = { first: 0x78000000, last: 0x7ffdffff };

/** The unnamed account of a content item: always the same for the same item. */
export function accountOfContent(guid: string): Account {
  const { first, last } = CONTENT_ACCOUNTS;
  return numbered(
    first + (Number.parseInt(hash('sha256', guid, 'hex').slice(0, 8), 16) % (last - first + 1)),
  );
}

/** Null for other names. */
export function findNumbered(name: string): Account | null {
  const uid = Number(/^#([1-9]\d{9})$/.exec(name)?.[1]);
  return uid >= CONTENT_ACCOUNTS.first && uid <= CONTENT_ACCOUNTS.last ? numbered(uid) : null;
}

export function isNumbered(account: Account | null): boolean {
  return account?.name.startsWith('#') === true;
}

/**
 * The accounts of a system with this one, as `content`: many programs ask for the name and home of their account.
 * @param accounts the `/etc/passwd` of an image; by default that of this machine
 */
export function accountsWith(
  { uid, gid }: Pick<Account, 'uid' | 'gid'>,
  home: string,
  accounts = readFileSync('/etc/passwd', 'utf8'),
): string {
  return `${accounts.trim()}\ncontent:x:${uid}:${gid}::${home}:/bin/sh\n`;
}

function numbered(uid: number): Account {
  return { name: `#${uid}`, uid, gid: uid };
}

/** An account with uid 0 or group 0 is root, whatever its name. */
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
