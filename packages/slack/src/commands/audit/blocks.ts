// What `audit` shows.
import type { AuditEntry } from '@pressroom/api/contract';
import { actions, section, shareButton, table, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { count, inline, line } from '../../blocks/text.ts';

export function auditMessage(
  last: string,
  user: string | null,
  entries: readonly AuditEntry[],
  /** Whether there are older ones that are not shown. */
  more: boolean,
  share: string,
): Message {
  const rows = entries.map((entry) => [
    { time: entry.time },
    line(entry.user_description, 60),
    line(entry.action, 40),
    line(entry.event_description, 160),
  ]);
  const whose = user === null ? '' : ` of ${inline(user)}`;
  return fit({
    text: `Audit log${whose}, last ${inline(last)}`,
    blocks: [
      section(
        `*Audit log*${whose}, last ${inline(last)}: ${more ? 'the newest ' : ''}${count(entries.length, 'entry', 'entries')}, newest first${more ? '. There are more in the dashboard.' : ''}`,
      ),
      ...(rows.length === 0 ? [] : [table([['Time', 'User', 'Action', 'Details'], ...rows])]),
      actions(shareButton(share)),
    ],
  });
}
