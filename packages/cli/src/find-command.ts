// Finds the command of a command line, through groups.
import type { AnyCommand, CommandGroup } from './command.ts';

export interface Found {
  /** Undefined for an unknown word. */
  readonly command: AnyCommand | undefined;
  /** The words that named it: `admin users add`. */
  readonly path: string;
  readonly rest: readonly string[];
}

export function findCommand(commands: readonly AnyCommand[], args: readonly string[]): Found {
  const [name = '', ...rest] = args;
  const command = commands.find((candidate) => candidate.name === name);
  const [next] = rest;
  if (command === undefined || !isGroup(command) || next === undefined || next.startsWith('-'))
    return { command, path: name, rest };
  const below = findCommand(command.commands, rest);
  return { ...below, path: `${name} ${below.path}` };
}

export function isGroup(command: AnyCommand): command is CommandGroup {
  return 'commands' in command;
}
