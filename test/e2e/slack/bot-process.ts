// The bot as a process of its own, so that it can be killed.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SlackDouble } from '@pressroom/testkit/slack';
import { HOOK_SECRET } from './world.ts';

export interface BotProcess {
  readonly url: string;
  readonly pid: number;
  /** Sends a signal and waits for the end; answers the exit code, null when killed. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

const BOT = join(import.meta.dirname, '../../../packages/slack/src/start/bot.ts');

/** The environment of a bot, for every process of one test the same. */
export function botEnvironment(parts: {
  server: string;
  serviceKey: string;
  store: string;
  slack: SlackDouble;
}) {
  return {
    PATH: process.env.PATH ?? '',
    CONNECT_SERVER: parts.server,
    PRESSROOM_SLACK_SERVICE_KEY: parts.serviceKey,
    PRESSROOM_SLACK_STORE: parts.store,
    PRESSROOM_SLACK_KEYS: `test:${randomBytes(32).toString('base64')}`,
    PRESSROOM_SLACK_HOOK_SECRET: HOOK_SECRET,
    PRESSROOM_SLACK_LISTEN: '127.0.0.1:0',
    PRESSROOM_SLACK_LOG_LEVEL: process.env.PRESSROOM_TEST_LOG ?? 'silent',
    SLACK_BOT_TOKEN: parts.slack.botToken,
    SLACK_SIGNING_SECRET: parts.slack.signingSecret,
    SLACK_API_URL: parts.slack.apiUrl,
  };
}

export async function startBotProcess(env: Record<string, string>): Promise<BotProcess> {
  const child = spawn(process.execPath, [BOT], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) console.log(line);
    const url = /listens on (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    return {
      url,
      pid: child.pid!,
      async stop(signal) {
        child.kill(signal);
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
        return child.exitCode;
      },
    };
  }
  throw new Error('the bot ended before it listened');
}
