// The token of a workspace: the configured one, or that of an OAuth installation, stored encrypted and renewed.
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
  /** When a workspace or organization last installed the app, in milliseconds; 0 if unknown. */
  installedTime(id: string): Promise<number>;
  /** Options of the HTTP receiver for installations. */
  readonly installer: object;
}

export function createAuthorizer(
  config: BotConfig,
  store: Store,
  options: WebClientOptions,
  now: () => number = Date.now,
): Authorizer {
  return config.slack.kind === 'token'
    ? ofToken(config.slack.token, options)
    : ofInstallations(config.slack, config.teams, store, options, now);
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

/** Renewals keep the time of the installation, in milliseconds; those of older bots have none. */
type Installed = Installation<'v2', false> & { readonly installed_time?: number };

/** Seconds before the expiry of a token at which it is renewed; Bolt's default is two hours. */
const RENEW_BEFORE = 3 * 3600;

/** @param teams workspaces and organizations that may install the app; empty for all. @throws NotInstalled */
function requireAllowed(
  teams: readonly string[],
  team: string | undefined,
  enterprise: string | undefined,
): void {
  if (teams.length === 0 || teams.some((one) => one === team || one === enterprise)) return;
  throw new NotInstalled('this workspace may not install the app');
}

function ofInstallations(
  slack: BotConfig['slack'] & { kind: 'oauth' },
  teams: readonly string[],
  store: Store,
  options: WebClientOptions,
  now: () => number,
): Authorizer {
  const id = (query: {
    teamId?: string | undefined;
    enterpriseId?: string | undefined;
    isEnterpriseInstall?: boolean | undefined;
  }) => `install/${query.isEnterpriseInstall ? query.enterpriseId : query.teamId}`;
  const installationStore: InstallationStore = {
    storeInstallation(installation) {
      const [teamId, enterpriseId] = [installation.team?.id, installation.enterprise?.id];
      requireAllowed(teams, teamId, enterpriseId);
      const { isEnterpriseInstall } = installation;
      return store.saveInstallation(
        id({ teamId, enterpriseId, isEnterpriseInstall }),
        JSON.stringify({ ...installation, installed_time: now() }),
      );
    },
    async fetchInstallation(query: InstallationQuery<boolean>) {
      const { isEnterpriseInstall, enterpriseId, teamId } = query;
      requireAllowed(teams, teamId, enterpriseId);
      // Later requests name only the workspace.
      if (isEnterpriseInstall && teamId !== undefined && enterpriseId !== undefined) {
        const known = await store.readInstallation(`grid/${teamId}`);
        if (known !== enterpriseId) await store.saveInstallation(`grid/${teamId}`, enterpriseId);
      }
      return renewed(id(query));
    },
    deleteInstallation: (query) => store.removeInstallation(id(query)),
  };
  const renewing = new Map<string, Promise<Installed>>();

  async function read(key: string): Promise<Installed> {
    const json = await store.readInstallation(key);
    if (json === null) throw new NotInstalled('the workspace has not installed the app');
    return JSON.parse(json) as Installed;
  }

  /** Renews the token before Bolt would itself. */
  async function renewed(key: string): Promise<Installed> {
    const installed = await read(key);
    const { refreshToken, expiresAt = Infinity } = installed.bot ?? {};
    if (refreshToken === undefined || expiresAt - now() / 1000 > RENEW_BEFORE) return installed;
    let work = renewing.get(key);
    if (!work) {
      // A refresh token is valid once.
      work = renew(key, installed, refreshToken).finally(() => renewing.delete(key));
      renewing.set(key, work);
    }
    return work;
  }

  async function renew(key: string, installed: Installed, refresh_token: string): Promise<Installed> {
    try {
      const answer = await new WebClient(undefined, options).oauth.v2.access({
        client_id: slack.clientId,
        client_secret: slack.clientSecret,
        grant_type: 'refresh_token',
        refresh_token,
      });
      const bot = {
        ...installed.bot!,
        token: answer.access_token ?? '',
        refreshToken: answer.refresh_token ?? '',
        expiresAt: Math.floor(now() / 1000) + (answer.expires_in ?? 0),
      };
      const fresh = { ...installed, bot };
      await store.saveInstallation(key, JSON.stringify(fresh));
      return fresh;
    } catch (error) {
      // Another bot of this store was faster; or there is time for another attempt.
      const stored = await read(key);
      const isValid = (stored.bot?.expiresAt ?? 0) > now() / 1000;
      if (stored.bot?.token !== installed.bot?.token || isValid) return stored;
      throw error;
    }
  }

  const find = async (team: string) => {
    requireAllowed(teams, team, (await store.readInstallation(`grid/${team}`)) ?? undefined);
    try {
      return await renewed(`install/${team}`);
    } catch (error) {
      const enterprise = await store.readInstallation(`grid/${team}`);
      if (!(error instanceof NotInstalled) || enterprise === null) throw error;
      return renewed(`install/${enterprise}`);
    }
  };
  return {
    tokenOf: async (team) => (await find(team)).bot?.token ?? '',
    onlyTeam: () => Promise.reject(new Error('there are many workspaces')),
    async installedTime(id) {
      const json = await store.readInstallation(`install/${id}`);
      return json === null ? 0 : ((JSON.parse(json) as Installed).installed_time ?? 0);
    },
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
