// Refuses what needs git on a server whose administrator has not allowed it.
import { errors } from '@pressroom/api/contract';
import type { Config } from '../main/config/settings.ts';

/** @throws ApiError 145 */
export function requireGit(config: Pick<Config, 'Applications.GitEnabled'>): void {
  if (config['Applications.GitEnabled']) return;
  throw errors.gitDisabled({
    message: 'git is not enabled: an administrator of the server sets Applications.GitEnabled',
  });
}
