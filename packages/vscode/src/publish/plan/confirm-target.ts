// Asks for confirmation before publishing to a target named in the settings, such as production.
import { l10n, workspace, type Uri } from 'vscode';
import { confirm } from '../../ui/messages.ts';
import { hostOf } from '../../ui/texts.ts';
import type { Plan } from './plan.ts';

type Target = Pick<Plan, 'server' | 'target' | 'confirmed'>;

/**
 * Whether to publish there.
 * @param uri of the directory: each workspace folder may have its own settings
 */
export async function confirmTarget(name: string, plan: Target, uri?: Uri): Promise<boolean> {
  const wanted = workspace.getConfiguration('pressroom', uri).get<unknown>('confirmBeforePublish', []);
  if (plan.confirmed === true || !isNamed(Array.isArray(wanted) ? wanted : [], plan)) return true;
  const host = hostOf(plan.server);
  const where = plan.target === host ? host : `${plan.target} (${host})`;
  return confirm(l10n.t('Publish {0} to {1}?', name, where), l10n.t('Publish'));
}

/** By the target's name, or its server with or without a scheme; `*` matches every target. */
function isNamed(names: readonly unknown[], { server, target }: Target): boolean {
  return names.some((name) => name === '*' || name === target || name === server || name === hostOf(server));
}
