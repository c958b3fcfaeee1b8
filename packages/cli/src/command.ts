// The type of a command: help text, options and context.
import type { Readable } from 'node:stream';
import type { ParseArgsOptionsConfig } from 'node:util';
import type { About } from './arguments/command-hint.ts';
import { UsageError } from './exit-codes.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface CommandContext {
  /** Parsed options. */
  values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  positionals: readonly string[];
  /** Whether results are JSON: `--output json`, or `--json`. */
  json: boolean;
  terminal: Terminal;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  stdin: Readable & { isTTY?: boolean };
  stderr: NodeJS.WritableStream;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
  /** Filled in when the content and the server are known. */
  readonly about: About;
}

export interface Command {
  name: string;
  /** Usage after `pressroom`, such as `deploy DIR`. */
  synopsis: string;
  /** One line. */
  summary: string;
  /** Lines of the option list, as shown by --help. */
  help?: readonly string[];
  options?: ParseArgsOptionsConfig;
  /** Values of options with a fixed set: others are refused before the command runs. */
  choices?: Readonly<Record<string, readonly string[]>>;
  /** Candidates for the first positional argument, for completion. */
  words?: () => readonly string[];
  /** Minimum and maximum number of positional arguments. */
  positionals: readonly [number, number];
  /** Read-only commands end when their output is closed; others continue their changes. */
  readsOnly?: true;
  /** Returns the exit code; throws failures. */
  run(context: CommandContext): Promise<number>;
}

/** A group of commands: `pressroom token list`. */
export interface CommandGroup {
  name: string;
  synopsis: string;
  summary: string;
  commands: readonly AnyCommand[];
}

export type AnyCommand = Command | CommandGroup;

/** Commands under a heading of the overview. */
export interface Section {
  title: string;
  commands: readonly AnyCommand[];
}

/** A string option of a context, or undefined. */
export function stringOption(context: CommandContext, name: string): string | undefined {
  const value = context.values[name];
  return typeof value === 'string' ? value : undefined;
}

/** The values of an option that may be repeated. */
export function listOption(context: CommandContext, name: string): string[] {
  return [context.values[name] ?? []].flat().filter((value) => typeof value === 'string');
}

/** Whether `--no-name` was given. Throws UsageError if `--name` was, too. */
export function isTurnedOff({ values }: CommandContext, name: string): boolean {
  const isOff = values[`no-${name}`] === true;
  if (isOff && values[name] !== undefined)
    throw new UsageError(`--${name} and --no-${name} cannot be used together.`);
  return isOff;
}

/** Throws UsageError if `--name` came with one of the others, which would be ignored. */
export function requireAlone({ values }: CommandContext, name: string, others: readonly string[]): void {
  if (values[name] === true && others.some((other) => values[other] !== undefined))
    throw new UsageError(`--${name} cannot be used with other options.`);
}

/** `--name` is true and `--no-name` false; undefined without either. Throws UsageError for both. */
export function switchOption(context: CommandContext, name: string): boolean | undefined {
  if (isTurnedOff(context, name)) return false;
  return context.values[name] === true || undefined;
}

/**
 * The first argument of a command with actions. Throws UsageError.
 * @param optionsOf the options of each action: those of others are refused, so that none is ignored
 */
export function actionOf<Action extends string>(
  { positionals: [word = ''], values }: CommandContext,
  command: string,
  optionsOf: Readonly<Record<Action, readonly string[]>>,
): Action {
  const actions = Object.keys(optionsOf) as Action[];
  const action = actions.find((one) => one === word);
  if (action === undefined)
    throw new UsageError(`Unknown action: ${word}.`, `Use one of: ${actions.join(', ')}`);
  const foreign = Object.values<readonly string[]>(optionsOf)
    .flat()
    .find((name) => values[name] !== undefined && !optionsOf[action].includes(name));
  if (foreign !== undefined) throw new UsageError(`--${foreign} does not belong to ${command} ${action}.`);
  return action;
}
