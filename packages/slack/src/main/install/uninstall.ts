// Deletes all data of a workspace or an organization that removed the app.
import { unlinkPerson } from '../../link/unlinking.ts';
import type { Services } from '../../services.ts';
import type { Authorizer } from './authorizer.ts';

export interface Removed {
  readonly team: string;
  /** The organization, if it removed the app for all its workspaces. */
  readonly enterprise: string | null;
  /** When, in milliseconds since the epoch. */
  readonly time: number;
}

/** Does nothing if the app was installed again since. */
export async function uninstall(
  services: Services,
  { team, enterprise, time }: Removed,
  { installedTime }: Pick<Authorizer, 'installedTime'>,
): Promise<void> {
  const { store, log } = services;
  // Slack repeats events, and may deliver them late. They have whole seconds.
  if (time + 1000 <= (await installedTime(enterprise ?? team))) {
    log.info({ team }, 'the app was installed again after it was removed');
    return;
  }
  // First: who installs the app again while people are unlinked keeps that.
  for (const id of [team, enterprise]) if (id !== null) await store.removeInstallation(`install/${id}`);
  const workspaces = enterprise === null ? [] : await store.workspacesOf(enterprise);
  for (const one of new Set([team, ...workspaces])) {
    for (const user of await store.linkedUsers(one)) {
      await unlinkPerson(services, one, user).catch((error: unknown) =>
        log.warn({ err: error, user }, 'unlink'),
      );
    }
    await store.removeTeam(one);
    await store.removeInstallation(`grid/${one}`);
  }
  log.info({ team }, 'the app was removed from a workspace');
}
