// What `deploys` shows.
import type { ContentDeploy } from '@pressroom/api/contract';
import { actions, context, section, shareButton, table, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { inline, line } from '../../blocks/text.ts';

export interface DeployEntry {
  readonly time: string;
  readonly who: string;
  readonly what: string;
  /** How it ended; null where that is not known. */
  readonly state: ContentDeploy['state'] | null;
  readonly active: boolean | null;
}

const STATES = { running: 'Running', succeeded: 'Succeeded', failed: 'Failed' } as const;

/** @param since as in `7d`. @param cut what is left out, as sentences */
export function deploysMessage(
  about: string,
  since: string,
  entries: readonly DeployEntry[],
  cut: readonly string[],
  share: string,
): Message {
  const rows = entries.map(({ time, who, what, state, active }) => [
    { time },
    line(who, 60),
    line(what, 80),
    `${state === null ? '–' : STATES[state]}${active === true ? ', active' : ''}`,
  ]);
  return fit({
    text: `Deploys of ${inline(about)}`,
    blocks: [
      section(`*Deploys of ${inline(about)}*, last ${inline(since)}: ${entries.length}`),
      ...cut.map((text) => context(text)),
      ...(rows.length === 0 ? [] : [table([['Time', 'User', 'Event', 'Status'], ...rows])]),
      actions(shareButton(share)),
    ],
  });
}
