// The file of a backup: a tar archive that ends with a note of what is in it, so that one that was cut off is known.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { findTool } from '../../runtime/sandbox/tools.ts';

/** The last member. */
export const NOTE = 'backup.json';
export const DATABASE = 'pressroom.sqlite';
/** Files at the top of a data directory that are backed up where they are there. */
export const FILES = ['secret.key', 'admin-key', 'admin-password'];
export const FORMAT = 1;

export interface BackupNote {
  readonly format: number;
  /** RFC 3339. */
  readonly created: string;
  /** Of the server. */
  readonly version: string;
  /** `elsewhere`: PostgreSQL, which is backed up by its own tools. */
  readonly database: 'sqlite' | 'elsewhere';
  /** The key that secrets are encrypted with: in `secret.key`, or in the setting `Secrets.Key`, which is not in the backup. */
  readonly key: 'file' | 'setting';
  /** Shows that a key is the one: a code over `created`. */
  readonly key_check: string;
  /** Paths of deployed files that were removed while the backup was made. */
  readonly incomplete: readonly string[];
}

/** What `key_check` is made for. */
export const KEY_CHECK = 'backup';

/** What may stand in a backup; nothing that leads out of the data directory. */
const MEMBER =
  /^(backup\.json|pressroom\.sqlite|secret\.key|admin-key|admin-password|bundles\/\d+\.tar\.gz|content\/[0-9a-f-]{36}\/[^/].*)$/s;

export function isMember(name: string): boolean {
  return MEMBER.test(name) && !name.split('/').includes('..');
}

/** What tar may end with. 1: files changed while they were read, as those of applications do. */
type Allowed = readonly number[];

/** @throws what tar printed, when it ends otherwise. */
export async function tar(
  args: readonly string[],
  { input = '', allowed = [0] }: { input?: string; allowed?: Allowed } = {},
): Promise<string> {
  const program = findTool('tar');
  if (program === null) throw new Error('tar is missing: apt-get install tar');
  const child = spawn(program, args, { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' } });
  child.stdin.on('error', () => undefined).end(input);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  const [printed, complaints, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code === null || !allowed.includes(code))
    throw new Error(`tar ended with ${code}: ${complaints.trim().split('\n').at(-1) ?? ''}`);
  return printed;
}
