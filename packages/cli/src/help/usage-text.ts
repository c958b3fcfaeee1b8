// Help texts: the overview, groups, and each command.
import type { AnyCommand, Command, CommandGroup, Section } from '../command.ts';
import { EXIT_CODES, TOPICS, type Topic } from './topics.ts';

const COMMON = [
  '  --server URL       Server (default: CONNECT_SERVER, the last deployment or the last login)',
  '  --api-key KEY      API key; prefer CONNECT_API_KEY or pressroom login, as others can see command lines',
  '  --output FORMAT    Print results as a table (default) or json; --json is short for --output json',
  '  --help             Show this help',
];

export function overview(sections: readonly Section[]): string {
  const names = sections.flatMap(({ commands }) => commands.map(({ name }) => name));
  const width = widest(names);
  return [
    'Usage: pressroom COMMAND [OPTIONS]',
    '',
    ...sections.flatMap(({ title, commands }) => [
      `${title}:`,
      ...columns(
        commands.map(({ name, summary }) => [name, summary]),
        width,
      ),
      '',
    ]),
    'Common options:',
    ...COMMON,
    '  --version          Show the version',
    '',
    ...EXIT_CODES,
    '',
    'Environment: CONNECT_SERVER, CONNECT_API_KEY, CONNECT_CA_CERTIFICATE, HTTPS_PROXY, HTTP_PROXY, NO_PROXY,',
    'XDG_CONFIG_HOME (keys are kept in pressroom/credentials.json below it).',
    '',
    'More help: pressroom help COMMAND, or pressroom help TOPIC:',
    ...columns(TOPICS.map(({ name, summary }) => [name, summary])),
  ].join('\n');
}

const CONTENT =
  'CONTENT is a directory, or the GUID, address, name or title of content: pressroom help content.';

/** The text of one command. */
export function commandHelp({ synopsis, summary, help = [] }: Command): string {
  const takesContent = /CONTENT/.test([synopsis, ...help].join('\n'));
  return [
    `Usage: pressroom ${synopsis} [OPTIONS]`,
    '',
    `${summary}.`,
    '',
    ...(takesContent ? [CONTENT, ''] : []),
    ...(help.length > 0 ? ['Options:', ...help, ''] : []),
    'Common options:',
    ...COMMON,
  ].join('\n');
}

export function groupHelp({ synopsis, summary, commands }: CommandGroup): string {
  return [
    `Usage: pressroom ${synopsis} [OPTIONS]`,
    '',
    `${summary}.`,
    '',
    'Commands:',
    ...listOf(commands),
    '',
    'Common options:',
    ...COMMON,
  ].join('\n');
}

export function topicHelp({ summary, text }: Topic): string {
  return [`${summary}`, '', ...text].join('\n');
}

function listOf(commands: readonly AnyCommand[]): string[] {
  return columns(commands.map(({ synopsis, summary }) => [synopsis, summary]));
}

function columns(
  rows: readonly (readonly [string, string])[],
  width = widest(rows.map(([left]) => left)),
): string[] {
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map(({ length }) => length));
}
