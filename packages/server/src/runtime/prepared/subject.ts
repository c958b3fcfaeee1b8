// The subject of a prepared process, and the command that prepares it.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { ApplicationEngine } from '../kinds/index.ts';
import { CHANNEL } from '../sandbox/channel.ts';
import type { Command } from '../sandbox/command.ts';

/** What a process is prepared for. */
export interface Subject {
  readonly contentGuid: string;
  readonly site: string;
  readonly runAs: string | null;
  readonly engine: ApplicationEngine;
  /** Command of a normal start, without socket and variables. */
  readonly command: Command;
}

const SCRIPTS = {
  R: join(import.meta.dirname, 'prepared.R'),
  Python: join(import.meta.dirname, 'prepared.py'),
};

export function keyOf({ contentGuid, site, runAs, command }: Subject): string {
  const { file, args, env, readable } = command;
  return JSON.stringify([contentGuid, site, runAs, file, args[scriptIn(command)], env, readable]);
}

/** Index of the interpreter's script in the arguments. */
export function scriptIn({ args }: Command): number {
  return args.findIndex((arg) => !arg.startsWith('-'));
}

/** Sees what a normal process of the content sees, but gets none of its variables. */
export function preparing(
  { engine, command }: Subject,
  left: readonly string[],
  common: Readonly<Record<string, string>>,
): Command {
  const at = scriptIn(command);
  const language = engine.language === 'R' ? 'R' : 'Python';
  const script = SCRIPTS[language];
  // Keeps R from running the content's own start-up files.
  const flags = language === 'R' ? ['--no-init-file', '--no-environ'] : [];
  const packages = engine.prepares?.join(',') ?? '';
  return {
    ...command,
    args: [
      ...command.args.slice(0, at),
      ...flags,
      script,
      CHANNEL,
      command.args[at]!,
      packages,
      left.join(','),
    ],
    env: { ...common, ...command.env },
    readable: [script, ...(command.readable ?? [])],
    prepares: true,
  };
}

/** Whether R reads environment files of the content at its start, or may. */
export function readsFiles(directory: string): boolean {
  try {
    return statSync(join(directory, '.Renviron'), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** Identifies mounted directories: one that was removed and recreated has the same name but another inode. */
export function identitiesOf({ readable = [], writable = [] }: Command): string {
  return [...readable, ...writable]
    .map((path) => {
      const stat = statSync(path, { throwIfNoEntry: false });
      return `${stat?.dev}:${stat?.ino}`;
    })
    .join(' ');
}
