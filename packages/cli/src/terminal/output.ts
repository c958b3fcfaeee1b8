// Prints results of commands: the API's response with `--output json`, tables and sentences otherwise.
import type { CommandContext } from '../command.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { table } from './terminal.ts';

export const OUTPUTS = ['table', 'json'] as const;

type Showing = Pick<CommandContext, 'json' | 'terminal'>;

/**
 * Prints a result. Returns the exit code, so that a command can end with it.
 * @param value as in the API
 * @param rows for people: the columns of each line
 * @param none what is said without any
 */
export async function show<T>(
  { json, terminal }: Showing,
  value: T,
  rows: (value: T) => readonly (readonly string[])[],
  none = 'Nothing to show.',
): Promise<number> {
  if (json) terminal.printJson(value);
  else {
    const lines = rows(value);
    // Without a line on standard output, which scripts read.
    if (lines.length === 0) terminal.note(none);
    for (const line of await table(lines)) terminal.print(line);
  }
  return EXIT.ok;
}

/** Confirms an action without a result. @param value printed as JSON */
export function confirm({ json, terminal }: Showing, value: unknown, sentence: string): number {
  if (json) terminal.printJson(value);
  else terminal.note(sentence);
  return EXIT.ok;
}

/** Says what may not be as expected. */
export function warn({ json, terminal }: Showing, warning: string): void {
  if (json) terminal.noteJson({ warning });
  else terminal.note(warning);
}

/** Whether the options ask for JSON. Throws UsageError. */
export function wantsJson(values: CommandContext['values']): boolean {
  const { output, json } = values;
  if (output === undefined) return json === true;
  if (!OUTPUTS.some((known) => known === output))
    throw new UsageError(`Unknown output: ${String(output)}.`, `Use one of: ${OUTPUTS.join(', ')}`);
  if (json === true && output !== 'json')
    throw new UsageError('--json and --output table cannot be used together.');
  return output === 'json';
}

/** For a command line that could not be parsed: decides how its failure is shown. */
export function asksForJson(args: readonly string[]): boolean {
  const at = args.indexOf('--output');
  return args.includes('--json') || args.includes('--output=json') || (at !== -1 && args[at + 1] === 'json');
}
