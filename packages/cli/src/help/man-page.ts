// The man page of the command, generated from its help texts: pressroom.1.
import type { AnyCommand, Command } from '../command.ts';
import { isGroup } from '../find-command.ts';
import { EXIT_CODES, TOPICS } from './topics.ts';

/** In roff, for man(1). */
export function manPage(commands: readonly AnyCommand[]): string {
  const sections = [
    ['NAME', 'pressroom \\- publish data\\-science content'],
    ['SYNOPSIS', '.B pressroom\n.I COMMAND\n[\\fIOPTIONS\\fR]'],
    ['COMMANDS', leaves(commands).map(entryOf).join('\n')],
    ...TOPICS.map(({ name, text }) => [name.toUpperCase(), asIs(text)] as const),
    ['EXIT STATUS', asIs(EXIT_CODES.slice(1))],
  ] as const;
  const body = sections.map(([title, text]) => `.SH ${title}\n${text}`);
  return `.TH PRESSROOM 1\n${body.join('\n')}\n`;
}

/** All commands except groups, by their full names. */
function leaves(commands: readonly AnyCommand[]): Command[] {
  return commands.flatMap((command) => (isGroup(command) ? leaves(command.commands) : [command]));
}

function entryOf({ synopsis, summary, help = [] }: Command): string {
  const options = help.length > 0 ? `\n${asIs(help)}` : '';
  return `.SS pressroom ${escape(synopsis)}\n${line(summary)}.${options}`;
}

/** Preformatted lines. */
function asIs(lines: readonly string[]): string {
  return `.nf\n${lines.map(line).join('\n')}\n.fi`;
}

/** A leading dot or apostrophe would be a roff request. */
function line(text: string): string {
  return escape(text).replace(/^(?=[.'])/, '\\&');
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-');
}
