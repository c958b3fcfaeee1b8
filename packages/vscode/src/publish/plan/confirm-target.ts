// Asks for confirmation before visitors of a target named in the settings, such as production, see something else.
import { workspace, type Uri } from 'vscode';
import { confirm } from '../../ui/messages.ts';
import { hostOf } from '../../ui/texts.ts';
import type { Plan } from './plan.ts';

type Target = Pick<Plan, 'server' | 'target' | 'confirmed'>;

/**
 * Whether to go on.
 * @param uri of the directory: each workspace folder may have its own settings
 * @param ask the question and the button, from the target as people know it
 */
export async function confirmTarget(
  plan: Target,
  uri: Uri | undefined,
  ask: (where: string) => readonly [question: string, button: string],
): Promise<boolean> {
  if (plan.confirmed === true || !isNamed(namesFor(uri), plan)) return true;
  const host = hostOf(plan.server);
  return confirm(...ask(plan.target === host ? host : `${plan.target} (${host})`));
}

/** A workspace may add targets, but not remove those of the user: in the editor's order, its list replaces theirs. */
function namesFor(uri: Uri | undefined): unknown[] {
  const set = workspace.getConfiguration('pressroom', uri).inspect('confirmBeforePublish');
  const lists = [set?.globalValue, set?.workspaceValue, set?.workspaceFolderValue];
  return lists.flatMap((list: unknown) => (Array.isArray(list) ? (list as unknown[]) : []));
}

/** By the target's name, or its server with or without a scheme; `*` matches every target. */
function isNamed(names: readonly unknown[], { server, target }: Target): boolean {
  return names.some((name) => name === '*' || name === target || name === server || name === hostOf(server));
}
