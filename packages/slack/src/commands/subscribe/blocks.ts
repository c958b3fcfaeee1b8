// What a dry run of `subscribe` shows.
import { section, table, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { count, inline, line } from '../../blocks/text.ts';

export interface DryRunEntry {
  readonly time: string;
  readonly text: string;
  /** Why it would not have been posted; null for posted. */
  readonly held: string | null;
}

export function dryRunMessage(
  title: string,
  filters: readonly string[],
  entries: readonly DryRunEntry[],
): Message {
  const posted = entries.filter(({ held }) => held === null).length;
  const rows = entries.map(({ time, text, held }) => [{ time }, line(text, 120), line(held ?? 'posted', 60)]);
  return fit({
    text: `Dry run: ${count(posted, 'notification')} about ${inline(title)} last week`,
    blocks: [
      section(
        `*${inline(title)}*, ${inline(filters.join(', '))}: this channel would have received ${count(posted, 'notification')} last week. No subscription was added.`,
      ),
      ...(rows.length === 0 ? [] : [table([['Time', 'Event', 'Result'], ...rows])]),
    ],
  });
}
