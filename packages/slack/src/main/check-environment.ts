// Checks settings whose errors would otherwise appear only in use: warns at the start, which continues.
import { WebClient } from '@slack/web-api';
import { slackFailure } from '../deliver/transport/slack-failure.ts';
import { clientOptions } from '../deliver/transport/slack-port.ts';
import { VARIABLES, type BotConfig } from './config.ts';

const WAIT_MS = 10_000;

/** Lines for the log; empty without problems. */
export async function checkEnvironment(config: BotConfig): Promise<string[]> {
  const found = await Promise.all([serverProblem(config), keyProblem(config), slackProblem(config)]);
  return found.filter((line) => line !== null);
}

/** Pressroom variables that nothing reads. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env).filter(
    (name) => name.startsWith('PRESSROOM_SLACK_') && !Object.hasOwn(VARIABLES, name.replace(/_FILE$/, '')),
  );
}

async function serverProblem({ server }: BotConfig): Promise<string | null> {
  const status = await ask(`${server}/__api__/server_settings`);
  return status === 200 ? null : `${server} ${said(status)}: check CONNECT_SERVER`;
}

async function keyProblem({ server, serviceKey }: BotConfig): Promise<string | null> {
  if (serviceKey === null) return null;
  const status = await ask(`${server}/__api__/v1/user`, { Authorization: `Key ${serviceKey}` });
  return status === 401 ? `${server} refuses the key of PRESSROOM_SLACK_SERVICE_KEY` : null;
}

async function slackProblem({ slack, slackApiUrl }: BotConfig): Promise<string | null> {
  if (slack.kind !== 'token') return null;
  try {
    await new WebClient(slack.token, clientOptions(slackApiUrl)).auth.test();
    return null;
  } catch (error) {
    const { kind, word } = slackFailure(error);
    return kind === 'down'
      ? `${slackApiUrl ?? 'https://slack.com'} does not respond (${word}): check the network, or HTTPS_PROXY`
      : `Slack does not take SLACK_BOT_TOKEN: ${word}`;
  }
}

async function ask(url: string, headers: Record<string, string> = {}): Promise<number | string> {
  try {
    // As clients: they follow no redirect.
    const redirect = 'manual';
    const response = await fetch(url, { headers, redirect, signal: AbortSignal.timeout(WAIT_MS) });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    const { cause, message } = error as Error;
    return cause instanceof Error ? cause.message : message;
  }
}

const said = (status: number | string) =>
  typeof status === 'number' ? `returns ${status}` : `does not respond (${status})`;
