// The bot as a separate process, to be killed.
import { randomBytes } from 'node:crypto';
import { builtProgram, startListening, type ListeningProcess } from '@pressroom/testkit';
import type { SlackDouble } from '@pressroom/testkit/slack';
import root from '../../../package.json' with { type: 'json' };
import { EVENTS_SECRET } from './world.ts';

/** The memory limits of `npm run bot`: measured as used. */
const FLAGS = root.scripts.bot
  .split(' ')
  .filter((word) => word.startsWith('--'))
  .join(' ');

/** The environment of a bot, the same for all processes of one test. */
export function botEnvironment(parts: {
  server: string;
  serviceKey: string;
  store: string;
  slack: SlackDouble;
  /** Port for the server's events; 0 for any. */
  port?: number;
}) {
  return {
    PATH: process.env.PATH ?? '',
    NODE_OPTIONS: FLAGS,
    CONNECT_SERVER: parts.server,
    PRESSROOM_SLACK_SERVICE_KEY: parts.serviceKey,
    PRESSROOM_SLACK_STORE: parts.store,
    PRESSROOM_SLACK_KEYS: `test:${randomBytes(32).toString('base64')}`,
    PRESSROOM_SLACK_EVENTS_SECRET: EVENTS_SECRET,
    PRESSROOM_SLACK_LISTEN: `127.0.0.1:${parts.port ?? 0}`,
    PRESSROOM_SLACK_LOG_LEVEL: process.env.PRESSROOM_TEST_LOG ?? 'silent',
    SLACK_BOT_TOKEN: parts.slack.botToken,
    SLACK_SIGNING_SECRET: parts.slack.signingSecret,
    SLACK_API_URL: parts.slack.apiUrl,
  };
}

export async function startBotProcess(env: Record<string, string>): Promise<ListeningProcess> {
  return startListening(await builtProgram('bot'), env, (line) => line.startsWith('{') && console.log(line));
}
