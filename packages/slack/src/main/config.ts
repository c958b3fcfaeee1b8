// The settings of the bot, read from the environment and validated: the one place that reads it.
import { readFileSync } from 'node:fs';
import { ClientOptionsError, normalizeServerUrl } from '@pressroom/api/client';
import type { Command } from '../commands/command.ts';
import { COMMANDS } from '../commands/table.ts';
import type { LanguageCode } from '../texts/en.ts';

/** A setting is missing or invalid; the message names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export interface BotConfig {
  /** The content server. */
  readonly server: string;
  readonly serviceKey: string | null;
  readonly guestKey: string | null;
  /** Commands available with the guest key. */
  readonly unlinked: readonly string[];
  readonly slack:
    | { readonly kind: 'token'; readonly token: string }
    | {
        readonly kind: 'oauth';
        readonly clientId: string;
        readonly clientSecret: string;
        readonly stateSecret: string;
      };
  /** Workspaces and organizations that may install the app; empty for all. */
  readonly teams: readonly string[];
  readonly receive:
    | { readonly kind: 'socket'; readonly appToken: string }
    | { readonly kind: 'http'; readonly signingSecrets: readonly string[] };
  readonly slackApiUrl: string | null;
  readonly command: string;
  /** Default language, if neither person nor channel has another. */
  readonly language: LanguageCode;
  readonly store: string;
  readonly keys: string;
  /**
   * Secrets for signatures of the content server's events, the current and the next one; empty if the bot reads the
   * audit log instead.
   */
  readonly eventsSecrets: readonly string[];
  /** Address of the audit log, with `{task}` as placeholder; null for no link. */
  readonly auditUrl: string | null;
  /** Channel for all deploys; requires a single workspace and the server's events. */
  readonly channel: string | null;
  readonly listen: { readonly host: string; readonly port: number };
  /** Message edits per minute in a workspace; Slack allows about 50. */
  readonly budget: number;
  /** Milliseconds between scans of the audit log. */
  readonly watchEvery: number;
  readonly logLevel: string;
}

/** All variables with descriptions; docs/publish/slack.md must name each. */
export const VARIABLES: Readonly<Record<string, string>> = {
  CONNECT_SERVER: 'Address of the content server',
  PRESSROOM_SLACK_SERVICE_KEY:
    'API key of an administrator, to read the audit log and how deploys end; optional',
  PRESSROOM_SLACK_GUEST_KEY: 'API key for people who have not linked an account; optional',
  PRESSROOM_SLACK_UNLINKED: 'Commands that this key may run, comma-separated, such as status,usage',
  SLACK_BOT_TOKEN: 'Token of one workspace (xoxb-…)',
  SLACK_CLIENT_ID:
    'For several workspaces, instead of SLACK_BOT_TOKEN: OAuth, with SLACK_CLIENT_SECRET and SLACK_STATE_SECRET',
  SLACK_CLIENT_SECRET: 'See SLACK_CLIENT_ID',
  SLACK_STATE_SECRET: 'See SLACK_CLIENT_ID',
  PRESSROOM_SLACK_TEAMS:
    'IDs of workspaces (T…) and organizations (E…) that may install the app, comma-separated; all without it',
  SLACK_APP_TOKEN: 'Receive requests in Socket Mode (xapp-…)',
  SLACK_SIGNING_SECRET:
    'Receive requests over HTTP at /slack/events; two joined with a comma while the secret changes',
  SLACK_API_URL: 'Another Slack API, for tests',
  PRESSROOM_SLACK_COMMAND: 'The slash command; default /pressroom',
  PRESSROOM_SLACK_LANGUAGE:
    'Language where neither the person nor the channel has chosen one: en or de; default en',
  PRESSROOM_SLACK_STORE: 'postgres://… or the path of an SQLite file; default .pressroom-data/slack.sqlite',
  PRESSROOM_SLACK_KEYS:
    'Encryption keys, name:base64 of 32 bytes; several joined with commas, the first encrypts',
  PRESSROOM_SLACK_EVENTS_SECRET:
    'The Events.WebhookSecret of the content server, whose events are then taken at /hooks/events instead of reading the audit log; two joined with a comma while it changes',
  PRESSROOM_SLACK_CHANNEL:
    'ID of a channel that shows every deploy of the server; requires SLACK_BOT_TOKEN and PRESSROOM_SLACK_EVENTS_SECRET; optional',
  PRESSROOM_SLACK_AUDIT_URL: 'Link to the audit log, with {task} for the task; none for no link',
  PRESSROOM_SLACK_LISTEN: 'Address and port; default 127.0.0.1:3940',
  PRESSROOM_SLACK_UPDATE_BUDGET: 'Message edits per minute in a workspace, 5 to 50; default 45',
  PRESSROOM_SLACK_WATCH_SECONDS: 'Seconds between scans of the audit log, 1 to 3600; default 5',
  PRESSROOM_SLACK_LOG_LEVEL: 'debug, info, warn, error or silent; default info',
};

type Environment = Readonly<Record<string, string | undefined>>;

function readValue(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(`${name}: ${(cause as Error).message}`, { cause });
  }
}

function serverAt(address: string): string {
  if (!URL.canParse(address))
    throw new ConfigError('CONNECT_SERVER must be an address such as https://content.example.com');
  try {
    return normalizeServerUrl(address);
  } catch (error) {
    if (!(error instanceof ClientOptionsError)) throw error;
    throw new ConfigError(`CONNECT_SERVER: ${error.message} ${error.hint}`, { cause: error });
  }
}

/** `NAME_FILE` names a file with the value. @throws ConfigError */
export function loadBotConfig(env: Environment): BotConfig {
  const read = (name: string): string | null => {
    const file = env[`${name}_FILE`];
    const value = file ? readValue(`${name}_FILE`, file) : env[name];
    return value?.trim() || null;
  };
  const required = (name: string, why = ''): string => {
    const value = read(name);
    if (value === null) throw new ConfigError(`${name} is not set${why}: ${VARIABLES[name]}`);
    return value;
  };
  const number = (name: string, fallback: number, min: number, max: number): number => {
    const text = read(name);
    const value = text === null ? fallback : Number(text);
    if (!Number.isFinite(value) || value < min || value > max) {
      throw new ConfigError(`${name} must be a number from ${min} to ${max}`);
    }
    return value;
  };
  const server = serverAt(required('CONNECT_SERVER'));
  const [, host, port] = /^(.*):(\d{1,5})$/.exec(read('PRESSROOM_SLACK_LISTEN') ?? '127.0.0.1:3940') ?? [];
  if (host === undefined)
    throw new ConfigError('PRESSROOM_SLACK_LISTEN must be an address and a port, such as 0.0.0.0:3940');
  const command = read('PRESSROOM_SLACK_COMMAND') ?? '/pressroom';
  if (!/^\/[a-z0-9_-]{1,31}$/.test(command))
    throw new ConfigError('PRESSROOM_SLACK_COMMAND must be like /pressroom');
  const language = read('PRESSROOM_SLACK_LANGUAGE') ?? 'en';
  if (language !== 'en' && language !== 'de')
    throw new ConfigError('PRESSROOM_SLACK_LANGUAGE must be en or de');
  const appToken = read('SLACK_APP_TOKEN');
  const token = read('SLACK_BOT_TOKEN');
  const channel = read('PRESSROOM_SLACK_CHANNEL');
  if (token === null && channel !== null)
    throw new ConfigError('PRESSROOM_SLACK_CHANNEL requires SLACK_BOT_TOKEN');
  const list = (value: string | null) => (value ?? '').split(',').flatMap((word) => word.trim() || []);
  const eventsSecrets = list(read('PRESSROOM_SLACK_EVENTS_SECRET'));
  if (channel !== null && eventsSecrets.length === 0)
    throw new ConfigError('PRESSROOM_SLACK_CHANNEL requires PRESSROOM_SLACK_EVENTS_SECRET');
  const slack: BotConfig['slack'] =
    token !== null
      ? { kind: 'token', token }
      : {
          kind: 'oauth',
          clientId: required('SLACK_CLIENT_ID', ', and neither is SLACK_BOT_TOKEN'),
          clientSecret: required('SLACK_CLIENT_SECRET'),
          stateSecret: required('SLACK_STATE_SECRET'),
        };
  const unlinked = list(read('PRESSROOM_SLACK_UNLINKED'));
  const open = Object.entries<Command>(COMMANDS).flatMap(([name, { account }]) =>
    account === 'any' ? [name] : [],
  );
  const wrong = unlinked.find((name) => !open.includes(name));
  if (wrong !== undefined)
    throw new ConfigError(`PRESSROOM_SLACK_UNLINKED cannot name ${wrong}: only ${open.join(', ')}`);
  const guestKey = read('PRESSROOM_SLACK_GUEST_KEY');
  if (unlinked.length > 0 && guestKey === null)
    throw new ConfigError('PRESSROOM_SLACK_UNLINKED requires PRESSROOM_SLACK_GUEST_KEY');
  const auditUrl = read('PRESSROOM_SLACK_AUDIT_URL') ?? `${server}/__dashboard__/audit?text={task}`;
  return {
    server,
    serviceKey: read('PRESSROOM_SLACK_SERVICE_KEY'),
    guestKey,
    unlinked,
    slack,
    teams: list(read('PRESSROOM_SLACK_TEAMS')),
    receive:
      appToken !== null
        ? { kind: 'socket', appToken }
        : {
            kind: 'http',
            signingSecrets: list(required('SLACK_SIGNING_SECRET', ', and neither is SLACK_APP_TOKEN')),
          },
    slackApiUrl: read('SLACK_API_URL'),
    command,
    language,
    store: read('PRESSROOM_SLACK_STORE') ?? '.pressroom-data/slack.sqlite',
    keys: required('PRESSROOM_SLACK_KEYS'),
    eventsSecrets,
    auditUrl: auditUrl === 'none' ? null : auditUrl,
    channel,
    listen: { host, port: Number(port) },
    budget: number('PRESSROOM_SLACK_UPDATE_BUDGET', 45, 5, 50),
    watchEvery: number('PRESSROOM_SLACK_WATCH_SECONDS', 5, 1, 3600) * 1000,
    logLevel: read('PRESSROOM_SLACK_LOG_LEVEL') ?? 'info',
  };
}
