// The daily or weekly digest of a channel.
import type { UsageSummary } from '@pressroom/api/usage';
import { header, section, table, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { line, link } from '../../blocks/text.ts';
import { usageTexts } from '../../commands/usage/texts.ts';
import type { Texts } from '../../texts/en.ts';

export interface DigestItem {
  readonly guid: string;
  readonly title: string;
  readonly url: string | null;
  readonly summary: UsageSummary;
}

export function digestMessage(items: readonly DigestItem[], every: 'day' | 'week', texts: Texts): Message {
  const { words } = texts;
  const usage = usageTexts(texts);
  const title = every === 'week' ? usage.digestWeek : usage.digestDay;
  const sorted = items.toSorted((a, b) => b.summary.total - a.summary.total);
  const top = sorted.slice(0, 10).map(({ title, url, summary }) => {
    const trend =
      summary.trend === null
        ? ''
        : `, ${summary.trend >= 0 ? '↑' : '↓'} ${texts.percent(Math.abs(summary.trend))}`;
    return usage.digestLine(link(url, title, 80), summary.total, summary.unique_users, trend);
  });
  const rows = sorted.map(({ title, summary }) => [
    line(title, 80),
    texts.number(summary.visits),
    texts.number(summary.sessions),
    texts.number(summary.unique_users),
  ]);
  return fit({
    text: title,
    blocks: [
      header(title),
      ...top.map((text) => section(text)),
      ...(rows.length > 0
        ? [table([[words.content, words.visits, words.sessions, words.people], ...rows])]
        : []),
    ],
  });
}
