// The token of a workspace: the configured one, or that of an OAuth installation.
import { WebClient, type WebClientOptions } from '@slack/web-api';
import type { Store } from '../../store/store.ts';
import type { BotConfig } from '../config.ts';
import type { Authorizer } from './authorizer.ts';
import { authorizeInstallations } from './installations.ts';

export function createAuthorizer(
  config: BotConfig,
  store: Store,
  options: WebClientOptions,
  now: () => number = Date.now,
): Authorizer {
  return config.slack.kind === 'token'
    ? ofToken(config.slack.token, options)
    : authorizeInstallations({ slack: config.slack, teams: config.teams, store, options, now });
}

function ofToken(token: string, options: WebClientOptions): Authorizer {
  // Fetched when needed, and again after a failure: the bot starts while Slack is down.
  let asking: Promise<Me> | null = null;
  let known: Me | null = null;
  const who = (): Promise<Me> =>
    (asking ??= new WebClient(token, options).auth
      .test()
      .then(({ team_id, bot_id, user_id }) => {
        known = { team: team_id ?? '', botId: bot_id ?? '', botUserId: user_id ?? '' };
        return known;
      })
      .catch((error: unknown) => {
        asking = null;
        throw error;
      }));
  return {
    tokenOf: async () => token,
    onlyTeam: async () => (await who()).team,
    installedTime: async () => 0,
    // Acknowledgements do not wait for this: the bot's identity is only needed to ignore its own messages.
    authorize: async () => {
      void who().catch(() => undefined);
      const me = known as Me | null;
      return { botToken: token, ...(me && { botId: me.botId, botUserId: me.botUserId, teamId: me.team }) };
    },
    installer: {},
  };
}

interface Me {
  readonly team: string;
  readonly botId: string;
  readonly botUserId: string;
}
