// The texts of --help.
import type { Command } from './command.ts';

const COMMON = [
  '  --server URL       Server; else CONNECT_SERVER, the last deployment, the last login',
  '  --api-key KEY      Key; better CONNECT_API_KEY or pressroom login: others can see command lines',
  '  --json             Results as JSON',
  '  --help             This text',
];

const EXIT_CODES = [
  'Exit codes:',
  '  0    success',
  '  1    the deploy failed',
  '  2    wrong usage or settings',
  '  3    the server refused',
  '  4    no answer from the server, or none that makes sense',
  '  5    how it ended is not known; it may still be running',
  '  130  cancelled',
];

/** The overview. */
export function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => command.synopsis.length));
  return [
    'Usage: pressroom COMMAND [OPTIONS]',
    '',
    'Commands:',
    ...commands.map((command) => `  ${command.synopsis.padEnd(width)}  ${command.summary}`),
    '',
    'Options of every command:',
    ...COMMON,
    '  --version          Version of this program',
    '',
    ...EXIT_CODES,
    '',
    'Environment: CONNECT_SERVER, CONNECT_API_KEY, CONNECT_CA_CERTIFICATE, HTTPS_PROXY, HTTP_PROXY, NO_PROXY,',
    'XDG_CONFIG_HOME (keys are kept in pressroom/credentials.json below it).',
  ].join('\n');
}

/** The text of one command. */
export function commandHelp(command: Command): string {
  return [
    `Usage: pressroom ${command.synopsis} [OPTIONS]`,
    '',
    `${command.summary}.`,
    '',
    'Options:',
    ...command.help,
    ...COMMON,
  ].join('\n');
}
