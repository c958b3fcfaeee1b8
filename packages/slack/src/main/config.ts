// Environment → the checked settings of the bot: the one place that reads them.
import { readFileSync } from 'node:fs';

/** A setting that is missing or makes no sense; the message names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export interface BotConfig {
  /** The content server. */
  readonly server: string;
  readonly serviceKey: string | null;
  readonly guestKey: string | null;
  /** Commands of people who are not linked, with the guest key. */
  readonly unlinked: readonly string[];
  readonly slack:
    | { readonly kind: 'token'; readonly token: string }
    | {
        readonly kind: 'oauth';
        readonly clientId: string;
        readonly clientSecret: string;
        readonly stateSecret: string;
      };
  readonly receive:
    | { readonly kind: 'socket'; readonly appToken: string }
    | { readonly kind: 'http'; readonly signingSecret: string };
  readonly slackApiUrl: string | null;
  readonly command: string;
  readonly store: string;
  readonly keys: string;
  readonly hookSecret: string | null;
  /** Where people read the audit log, with `{task}` for what to look for; null for no link. */
  readonly auditUrl: string | null;
  /** Told of every deploy that is handed over; needs one workspace. */
  readonly channel: string | null;
  readonly listen: { readonly host: string; readonly port: number };
  /** Edits a minute in a workspace; Slack allows about 50. */
  readonly budget: number;
  /** Milliseconds between two looks at the audit log. */
  readonly watchEvery: number;
  readonly logLevel: string;
}

/** Every variable and what it is for; the user page lists them from here. */
export const VARIABLES: Readonly<Record<string, string>> = {
  CONNECT_SERVER: 'Address of the content server',
  PRESSROOM_SLACK_SERVICE_KEY:
    'API key of an administrator, for the audit log and handed-over deploys; optional',
  PRESSROOM_SLACK_GUEST_KEY: 'API key that people use who are not linked; optional',
  PRESSROOM_SLACK_UNLINKED: 'Commands they may use with it, comma-separated, such as status,usage',
  SLACK_BOT_TOKEN: 'Token of one workspace (xoxb-…)',
  SLACK_CLIENT_ID:
    'In its place, for many workspaces: OAuth, with SLACK_CLIENT_SECRET and SLACK_STATE_SECRET',
  SLACK_CLIENT_SECRET: 'See SLACK_CLIENT_ID',
  SLACK_STATE_SECRET: 'See SLACK_CLIENT_ID',
  SLACK_APP_TOKEN: 'Receive through a socket (xapp-…)',
  SLACK_SIGNING_SECRET: 'Receive over HTTP at /slack/events',
  SLACK_API_URL: 'Another Slack, for tests',
  PRESSROOM_SLACK_COMMAND: 'The slash command; /pressroom if not given',
  PRESSROOM_SLACK_STORE:
    'postgres://… or the path of an SQLite file; .pressroom-data/slack.sqlite if not given',
  PRESSROOM_SLACK_KEYS:
    'Encryption keys, name:base64 of 32 bytes; several joined with commas, the first encrypts',
  PRESSROOM_SLACK_HOOK_SECRET: 'Shared with those who hand deploys over; optional',
  PRESSROOM_SLACK_CHANNEL: 'Id of a channel that is told of every deploy handed over; optional',
  PRESSROOM_SLACK_AUDIT_URL: 'Where people read the audit log, `{task}` for the task; `none` for no link',
  PRESSROOM_SLACK_LISTEN: 'Address and port; 127.0.0.1:3940 if not given',
  PRESSROOM_SLACK_UPDATE_BUDGET: 'Edits a minute in a workspace, 5 to 50; 45 if not given',
  PRESSROOM_SLACK_WATCH_SECONDS: 'Seconds between two looks at the audit log, 1 to 3600; 5 if not given',
  PRESSROOM_SLACK_LOG_LEVEL: 'debug, info, warn, error or silent; info if not given',
};

type Environment = Readonly<Record<string, string | undefined>>;

/** A value may also be the path of a file: `NAME_FILE`. @throws ConfigError */
export function loadBotConfig(env: Environment): BotConfig {
  const read = (name: string): string | null => {
    const file = env[`${name}_FILE`];
    const value = file ? readFileSync(file, 'utf8') : env[name];
    return value?.trim() || null;
  };
  const need = (name: string, why = ''): string => {
    const value = read(name);
    if (value === null) throw new ConfigError(`${name} is not set${why}: ${VARIABLES[name]}`);
    return value;
  };
  const number = (name: string, standard: number, min: number, max: number): number => {
    const text = read(name);
    const value = text === null ? standard : Number(text);
    if (!Number.isFinite(value) || value < min || value > max) {
      throw new ConfigError(`${name} must be a number from ${min} to ${max}`);
    }
    return value;
  };
  const server = need('CONNECT_SERVER').replace(/\/+$/, '');
  if (!URL.canParse(server))
    throw new ConfigError('CONNECT_SERVER must be an address such as https://content.example.com');
  const [, host, port] = /^(.*):(\d{1,5})$/.exec(read('PRESSROOM_SLACK_LISTEN') ?? '127.0.0.1:3940') ?? [];
  if (host === undefined)
    throw new ConfigError('PRESSROOM_SLACK_LISTEN must be an address and a port, such as 0.0.0.0:3940');
  const command = read('PRESSROOM_SLACK_COMMAND') ?? '/pressroom';
  if (!/^\/[a-z0-9_-]{1,31}$/.test(command))
    throw new ConfigError('PRESSROOM_SLACK_COMMAND must be like /pressroom');
  const appToken = read('SLACK_APP_TOKEN');
  const token = read('SLACK_BOT_TOKEN');
  const channel = read('PRESSROOM_SLACK_CHANNEL');
  if (token === null && channel !== null)
    throw new ConfigError('PRESSROOM_SLACK_CHANNEL needs SLACK_BOT_TOKEN');
  const slack: BotConfig['slack'] =
    token !== null
      ? { kind: 'token', token }
      : {
          kind: 'oauth',
          clientId: need('SLACK_CLIENT_ID', ', and neither is SLACK_BOT_TOKEN'),
          clientSecret: need('SLACK_CLIENT_SECRET'),
          stateSecret: need('SLACK_STATE_SECRET'),
        };
  const auditUrl = read('PRESSROOM_SLACK_AUDIT_URL') ?? `${server}/__dashboard__/audit?text={task}`;
  return {
    server,
    serviceKey: read('PRESSROOM_SLACK_SERVICE_KEY'),
    guestKey: read('PRESSROOM_SLACK_GUEST_KEY'),
    unlinked: (read('PRESSROOM_SLACK_UNLINKED') ?? '')
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
    slack,
    receive:
      appToken !== null
        ? { kind: 'socket', appToken }
        : { kind: 'http', signingSecret: need('SLACK_SIGNING_SECRET', ', and neither is SLACK_APP_TOKEN') },
    slackApiUrl: read('SLACK_API_URL'),
    command,
    store: read('PRESSROOM_SLACK_STORE') ?? '.pressroom-data/slack.sqlite',
    keys: need('PRESSROOM_SLACK_KEYS'),
    hookSecret: read('PRESSROOM_SLACK_HOOK_SECRET'),
    auditUrl: auditUrl === 'none' ? null : auditUrl,
    channel,
    listen: { host, port: Number(port) },
    budget: number('PRESSROOM_SLACK_UPDATE_BUDGET', 45, 5, 50),
    watchEvery: number('PRESSROOM_SLACK_WATCH_SECONDS', 5, 1, 3600) * 1000,
    logLevel: read('PRESSROOM_SLACK_LOG_LEVEL') ?? 'info',
  };
}
