// The texts of --help.
import type { Command } from './command.ts';

const COMMON = [
  '  --server URL       Server (default: CONNECT_SERVER, the last deployment or the last login)',
  '  --api-key KEY      API key; prefer CONNECT_API_KEY or pressroom login, as others can see command lines',
  '  --json             Print results as JSON',
  '  --help             Show this help',
];

const EXIT_CODES = [
  'Exit codes:',
  '  0    success',
  '  1    the deploy failed',
  '  2    invalid usage or settings',
  '  3    the server rejected the request',
  '  4    no response, or an invalid response, from the server',
  '  5    the outcome is unknown; the task may still be running',
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
    'Common options:',
    ...COMMON,
    '  --version          Show the version',
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
