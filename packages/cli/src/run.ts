// Runs one command line: finds the command, parses its options, converts failures to messages and exit codes.
import type { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { isCallFailure, nearest, statusOf } from '@pressroom/api/client';
import type { About, WithAbout } from './arguments/command-hint.ts';
import {
  type AnyCommand,
  type Command,
  type CommandContext,
  type CommandGroup,
  stringOption,
} from './command.ts';
import { COMMANDS, SECTIONS } from './commands/index.ts';
import { askForAdministrator, EXIT, exitCodeOf, failureLines, failureOf, UsageError } from './exit-codes.ts';
import { findCommand, isGroup } from './find-command.ts';
import { commandHelp, groupHelp, overview } from './help/usage-text.ts';
import { asksForJson, wantsJson } from './terminal/output.ts';
import { createTerminal, type Stream, type Terminal } from './terminal/terminal.ts';

export interface RunOptions {
  /** Without node and the script. */
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Reading it may throw: a current directory can be deleted. */
  readonly cwd: string;
  stdin: Readable & { isTTY?: boolean };
  stdout: Stream;
  stderr: Stream & NodeJS.WritableStream;
  signal: AbortSignal;
  version: string;
  /** Called with the command before it runs. */
  onCommand?: (command: Command) => void;
}

/** Words of the dashboard and the editor, with the commands that do the same. */
const OTHER_WORDS = new Map([
  ['publish', 'deploy'],
  ['schedule', 'render'],
]);

/** With the fields of every failure. */
const CANCELLED = {
  error: 'Cancelled.',
  failure: 'Cancelled',
  code: null,
  payload: null,
  status: null,
  kind: 'aborted',
  hint: '',
};

/** Returns the exit code; never throws. */
export async function runCommandLine(options: RunOptions): Promise<number> {
  const { stdout, stderr, env } = options;
  const isCi = Boolean(env['CI'] || env['TF_BUILD'] || env['TEAMCITY_VERSION']);
  const terminal = createTerminal({ stdout, stderr, now: Date.now, isCi });
  const json = asksForJson(options.args);
  const about: About = {};
  try {
    return await dispatch(options, terminal, about);
  } catch (error) {
    terminal.endProgress();
    if (options.signal.aborted) {
      if (json) terminal.noteJson(CANCELLED);
      else terminal.note(CANCELLED.error);
      return EXIT.cancelled;
    }
    report({ terminal, json, about }, error);
    return exitCodeOf(error);
  }
}

async function dispatch(options: RunOptions, terminal: Terminal, about: About): Promise<number> {
  const [name] = options.args;
  if (name === undefined || name === '--help' || name === '-h') {
    terminal.printHelp(overview(SECTIONS));
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  if (name === '--version') {
    terminal.print(options.version);
    return EXIT.ok;
  }
  const { command, path, rest } = findCommand(COMMANDS, options.args);
  if (command === undefined) {
    const other = OTHER_WORDS.get(path);
    const typed = path.split(' ');
    const above = typed.slice(0, -1);
    const words = other === undefined ? above : [other];
    const near = other === undefined ? nearest(typed.at(-1) ?? '', siblingsOf(typed)) : [];
    throw new UsageError(
      `Unknown command: ${path}.`,
      near.length > 0
        ? `Did you mean: ${near.map((name) => [...above, name].join(' ')).join(', ')}`
        : `See: ${['pressroom', ...words, '--help'].join(' ')}`,
    );
  }
  if (isGroup(command)) {
    terminal.printHelp(groupHelp(command));
    return rest.some((word) => word === '--help' || word === '-h') ? EXIT.ok : EXIT.usage;
  }
  const { values, positionals } = parse(command, path, [...rest]);
  if (values['help'] === true) {
    terminal.printHelp(commandHelp(command));
    return EXIT.ok;
  }
  const [fewest, most] = command.positionals;
  if (positionals.length < fewest || positionals.length > most)
    throw new UsageError(`Usage: pressroom ${command.synopsis}`, `See: pressroom ${path} --help`);
  checkChoices(command, values);
  options.onCommand?.(command);
  const { env, cwd, stdin, stderr, signal } = options;
  const context = {
    values,
    positionals,
    json: wantsJson(values),
    terminal,
    env,
    cwd,
    stdin,
    stderr,
    signal,
    about,
  };
  about.content = stringOption(context, 'content');
  about.server = stringOption(context, 'server');
  const running = command.run(context);
  // These are about the server, not about content that has an owner.
  return path.startsWith('admin ') ? running.catch(askForAdministrator) : running;
}

/** Names of the commands beside it. */
function siblingsOf(path: readonly string[]): string[] {
  let commands: readonly AnyCommand[] = COMMANDS;
  for (const word of path.slice(0, -1))
    commands = commands.find((one): one is CommandGroup => one.name === word && isGroup(one))?.commands ?? [];
  return commands.map(({ name }) => name);
}

function parse(
  command: Command,
  path: string,
  args: string[],
): Pick<CommandContext, 'values' | 'positionals'> {
  try {
    return parseArgs({
      args: joinKey(args),
      allowPositionals: true,
      options: {
        ...command.options,
        server: { type: 'string' },
        'api-key': { type: 'string' },
        output: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    // Node goes on about words that begin with a dash.
    const [message = ''] = (error as Error).message.split(' To specify a positional argument', 1);
    throw new UsageError(message, `See: pressroom ${path} --help`);
  }
}

/** Throws UsageError for a value that an option does not have. */
function checkChoices({ choices = {} }: Command, values: CommandContext['values']): void {
  for (const [name, known] of Object.entries(choices)) {
    const wrong = [values[name] ?? []].flat().find((value) => !known.includes(String(value)));
    if (wrong !== undefined)
      throw new UsageError(`Unknown value of --${name}: ${wrong}.`, `Use one of: ${known.join(', ')}`);
  }
}

/** Writes `--api-key -Ab…` as one word: one key in 64 starts with a dash, and would be parsed as an option. */
function joinKey(args: string[]): string[] {
  const at = args.indexOf('--api-key');
  const key = args[at + 1] ?? '';
  const isKey =
    at !== -1 && key.startsWith('-') && !/^--[a-z-]*(=|$)/.test(key) && !args.slice(0, at).includes('--');
  return isKey ? args.toSpliced(at, 2, `--api-key=${key}`) : args;
}

function report(context: Pick<CommandContext, 'terminal' | 'json'> & WithAbout, error: unknown): void {
  const { terminal } = context;
  if (context.json) {
    const { name: failure, message, code, payload, hint } = failureOf(error, context);
    const kind = isCallFailure(error) && 'kind' in error ? error.kind : null;
    terminal.noteJson({ error: message, failure, code, payload, status: statusOf(error), kind, hint });
  } else for (const line of failureLines(error, context)) terminal.note(line);
}
