// What `deploys` shows.
import { actions, section, shareButton, table, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { inline, line, plainMoment } from '../../blocks/text.ts';

export interface DeployEntry {
  readonly time: string;
  readonly who: string;
  readonly what: string;
  readonly active: boolean | null;
}

/** @param since as in `7d` */
export function deploysMessage(
  about: string,
  since: string,
  entries: readonly DeployEntry[],
  share: string,
): Message {
  const rows = entries.map(({ time, who, what, active }) => [
    plainMoment(time),
    line(who, 60),
    line(what, 80),
    active === true ? 'Active' : '–',
  ]);
  return fit({
    text: `Deploys of ${inline(about)}`,
    blocks: [
      section(`*Deploys of ${inline(about)}*, last ${inline(since)}: ${entries.length}`),
      ...(rows.length === 0 ? [] : [table([['Time', 'User', 'Event', 'Status'], ...rows])]),
      actions(shareButton(share)),
    ],
  });
}
