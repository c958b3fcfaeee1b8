// Which token belongs to a workspace: the configured one, or those of an OAuth installation, kept encrypted.
import type { Authorize, Installation, InstallationQuery, InstallationStore } from '@slack/bolt';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import manifest from '../../manifest.json' with { type: 'json' };
import type { Store } from '../store/store.ts';
import { NotInstalled } from '../deliver/slack-failure.ts';
import type { BotConfig } from './config.ts';

export interface Authorizer {
  readonly authorize: Authorize<boolean>;
  tokenOf(team: string): Promise<string>;
  /** The workspace of the configured token. */
  onlyTeam(): Promise<string>;
  /** What the HTTP receiver needs to offer an installation. */
  readonly installer: object;
}

export function createAuthorizer(config: BotConfig, store: Store, options: WebClientOptions): Authorizer {
  return config.slack.kind === 'token'
    ? ofToken(config.slack.token, options)
    : ofInstallations(config.slack, store, options);
}

function ofToken(token: string, options: WebClientOptions): Authorizer {
  // Asked once it is needed, and again after a failure: the bot starts while Slack is down.
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
    // An acknowledgement does not wait for this: who the bot is only keeps it from answering itself.
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

function ofInstallations(
  slack: BotConfig['slack'] & { kind: 'oauth' },
  store: Store,
  options: WebClientOptions,
): Authorizer {
  const id = (query: {
    teamId?: string | undefined;
    enterpriseId?: string | undefined;
    isEnterpriseInstall?: boolean | undefined;
  }) => `install/${query.isEnterpriseInstall ? query.enterpriseId : query.teamId}`;
  const installationStore: InstallationStore = {
    storeInstallation: (installation) =>
      store.saveInstallation(
        id({
          teamId: installation.team?.id,
          enterpriseId: installation.enterprise?.id,
          isEnterpriseInstall: installation.isEnterpriseInstall,
        }),
        JSON.stringify(installation),
      ),
    fetchInstallation: async (query: InstallationQuery<boolean>) => {
      const json = await store.readInstallation(id(query));
      if (json === null) throw new Error('the workspace has not installed the app');
      return JSON.parse(json) as Installation<'v2', false>;
    },
    deleteInstallation: (query) => store.removeInstallation(id(query)),
  };
  const find = async (team: string) => {
    const json = await store.readInstallation(`install/${team}`);
    if (json === null) throw new NotInstalled('the workspace has not installed the app');
    return JSON.parse(json) as Installation<'v2', false>;
  };
  return {
    tokenOf: async (team) => (await find(team)).bot?.token ?? '',
    onlyTeam: () => Promise.reject(new Error('there are many workspaces')),
    authorize: async ({ teamId, enterpriseId, isEnterpriseInstall }) => {
      const { bot } = await find((isEnterpriseInstall ? enterpriseId : teamId) ?? '');
      return {
        botToken: bot?.token ?? '',
        ...(bot && { botId: bot.id, botUserId: bot.userId }),
        ...(teamId !== undefined && { teamId }),
      };
    },
    installer: {
      clientId: slack.clientId,
      clientSecret: slack.clientSecret,
      stateSecret: slack.stateSecret,
      scopes: manifest.oauth_config.scopes.bot,
      installationStore,
      installerOptions: { directInstall: true, clientOptions: options },
    },
  };
}
