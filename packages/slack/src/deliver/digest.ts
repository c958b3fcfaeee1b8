// The digest of a channel, of a day or a week.
import type { UsageSummary } from '@pressroom/api/usage';
import { header, section, table, type Message } from '../blocks/blocks.ts';
import { fit } from '../blocks/fit.ts';
import { count, line, link } from '../blocks/text.ts';

export interface DigestItem {
  readonly guid: string;
  readonly title: string;
  readonly url: string | null;
  readonly summary: UsageSummary;
}

export function digestMessage(items: readonly DigestItem[], every: 'day' | 'week' = 'week'): Message {
  const title = every === 'week' ? 'Usage last week' : 'Usage since yesterday';
  const sorted = [...items].sort((a, b) => b.summary.total - a.summary.total);
  const top = sorted.slice(0, 10).map(({ title, url, summary }) => {
    const trend =
      summary.trend === null
        ? ''
        : `, ${summary.trend >= 0 ? '↑' : '↓'} ${Math.abs(Math.round(summary.trend * 100))} %`;
    return `${link(url, title, 80)}: ${count(summary.total, 'visit')} by ${count(summary.unique_users, 'person', 'people')}${trend}`;
  });
  const rows = sorted.map(({ title, summary }) => [
    line(title, 80),
    String(summary.visits),
    String(summary.sessions),
    String(summary.unique_users),
  ]);
  return fit({
    text: title,
    blocks: [
      header(title),
      ...top.map((text) => section(text)),
      ...(rows.length > 0 ? [table([['Content', 'Visits', 'Sessions', 'People'], ...rows])] : []),
    ],
  });
}
