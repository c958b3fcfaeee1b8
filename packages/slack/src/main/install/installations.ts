// OAuth installations: stored encrypted, for the allowed workspaces and organizations.
import type { InstallationQuery, InstallationStore } from '@slack/bolt';
import manifest from '../../../manifest.json' with { type: 'json' };
import { NotInstalled } from '../../deliver/transport/slack-failure.ts';
import type { Authorizer } from './authorizer.ts';
import { createRenewal, type Installed, type RenewalOptions } from './renew-tokens.ts';

/** @throws NotInstalled */
function requireAllowed(
  teams: readonly string[],
  team: string | undefined,
  enterprise: string | undefined,
): void {
  if (teams.length === 0 || teams.some((one) => one === team || one === enterprise)) return;
  throw new NotInstalled('this workspace may not install the app');
}

export interface InstallationOptions extends RenewalOptions {
  /** Workspaces and organizations that may install the app; empty for all. */
  readonly teams: readonly string[];
}

export function authorizeInstallations(given: InstallationOptions): Authorizer {
  const { slack, teams, store, options, now } = given;
  const renewed = createRenewal(given);
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
