// Dependencies of all listeners.
import type { BlockAction, MessageShortcut } from '@slack/bolt';
import type { Invoker } from '../../deliver/transport/reply.ts';
import type { WorkQueue } from '../../deliver/transport/work-queue.ts';
import type { BrowserLinks } from '../../link/browser-links.ts';
import type { Services } from '../../services.ts';
import type { Removed } from '../install/uninstall.ts';
import type { Metrics } from '../metrics.ts';

export interface ListenerContext {
  readonly services: Services;
  readonly queue: WorkQueue;
  /** Runs work for a person, or answers to try again if too much is queued. */
  readonly take: (invoker: Invoker, responseUrl: string | null, work: () => Promise<void>) => void;
  readonly metrics: Metrics;
  readonly links: BrowserLinks;
  readonly uninstall: (removed: Removed) => Promise<void>;
}

type Interaction = Pick<BlockAction | MessageShortcut, 'team' | 'user' | 'channel'>;

/** Who pressed, and where the response goes. */
export function invokerOf({ team, user, channel }: Interaction): Invoker {
  const id = team?.id ?? user.team_id ?? '';
  return {
    team: id,
    user: user.id,
    name: user.name ?? user.username ?? user.id,
    channel: channel?.id ?? '',
    // Of somebody in Enterprise Grid, it may be the organization.
    isOutsider: user.team_id !== undefined && ![id, team?.enterprise_id].includes(user.team_id),
  };
}

export function actionOf(body: BlockAction): string {
  return body.actions[0]?.action_id ?? '';
}

export function valueOf(body: BlockAction): string {
  const [action] = body.actions;
  return action && 'value' in action && typeof action.value === 'string' ? action.value : '';
}
