// The script of the last shell before a command, for every executor: sets the content's environment, and executes the
// command.
import { readlinkSync } from 'node:fs';
import { isNumbered, type Account } from './accounts.ts';
import type { Command } from './command.ts';

export interface ScriptContext {
  /** The private directory as the process sees it. */
  readonly inside: string;
  readonly account: Account | null;
  /** The time zone; absent for that of the image. */
  readonly zone?: string | null;
  /** The program that prints device and inode of a file. */
  readonly stat: string;
}

const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';
export const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Exports variables with valid names, enters the directory, and executes the command in place of the shell. */
export function scriptFor(command: Command, { inside, account, zone = null, stat }: ScriptContext): string {
  const variables = { ...usualVariables(inside, account, zone), ...command.env };
  const exports = Object.entries(variables)
    .filter(([name, value]) => VARIABLE.test(name) && !value.includes('\0'))
    .map(([name, value]) => `export ${name}=${quoted(value)}`);
  const checks = Object.entries(command.identities ?? {}).map(
    ([path, identity]) => `[ "$('${stat}' -c %d:%i -- ${quoted(path)})" = ${identity} ] || exit 126`,
  );
  // Variables come last, followed by one line: after them, only the program runs.
  const enter = 'cd -- "$1" || exit 127; shift';
  return `${[...checks, enter, ...exports, 'exec "$@" </dev/null'].join('\n')}\n`;
}

/** Variables of every process. @param own its private directory, as it sees it */
export function usualVariables(
  own: string,
  account: Account | null,
  zone: string | null,
): Record<string, string> {
  return {
    PATH: SYSTEM_PATH,
    HOME: own,
    LANG: 'C.UTF-8',
    TMPDIR: own,
    USER: account && !isNumbered(account) ? account.name : 'content',
    ...(zone !== null && { TZ: zone }),
  };
}

/**
 * The time zone of this machine; null if it is not named. Without a name, R asks systemd, which content cannot reach:
 * reports would contain its warnings.
 */
export function zoneOfMachine(): string | null {
  try {
    return /zoneinfo\/(.+)$/.exec(readlinkSync('/etc/localtime'))?.[1] ?? null;
  } catch {
    return null;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
