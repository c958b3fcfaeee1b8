// Subscriptions of a channel, the weekly digest, a dry run, and the audit log.
import type { AuditEntry, UsageSummary } from '@pressroom/api';
import {
  actions,
  button,
  header,
  section,
  shareButton,
  table,
  type AnyBlock,
  type Message,
} from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { count, inline, line, link, plainMoment } from '../../blocks/text.ts';

export interface SubscriptionView {
  readonly guid: string;
  readonly title: string;
  readonly filters: readonly string[];
  readonly quiet: string | null;
  readonly by: string;
}

export function subscriptionsMessage(subscriptions: readonly SubscriptionView[]): Message {
  const rows = subscriptions.map(({ guid, title, filters, quiet, by }, i): AnyBlock =>
    section(
      `*${inline(title, 100)}* · ${inline(filters.join(', '))}${quiet === null ? '' : ` · quiet ${inline(quiet)} UTC`} · by ${inline(by)}`,
      button(`unsubscribe:${i}`, 'Unsubscribe', guid),
    ),
  );
  return fit({
    text: `This channel has ${count(subscriptions.length, 'subscription')}`,
    blocks: [
      section(
        subscriptions.length === 0
          ? 'This channel is told about nothing. `/pressroom subscribe &lt;content&gt;` changes that.'
          : `This channel is told about ${count(subscriptions.length, 'content item')}`,
      ),
      ...rows,
    ],
  });
}

export interface DryRunEntry {
  readonly time: string;
  readonly text: string;
  /** Why it would not have been posted, or null. */
  readonly held: string | null;
}

export function dryRunMessage(
  title: string,
  filters: readonly string[],
  entries: readonly DryRunEntry[],
): Message {
  const posted = entries.filter(({ held }) => held === null).length;
  const rows = entries.map(({ time, text, held }) => [
    plainMoment(time),
    line(text, 120),
    line(held ?? 'posted', 60),
  ]);
  return fit({
    text: `Last week ${inline(title)} would have posted ${posted}`,
    blocks: [
      section(
        `*${inline(title)}*, ${inline(filters.join(', '))}: in the last week this channel would have seen ${count(posted, 'notice')}. Nothing was subscribed to.`,
      ),
      ...(rows.length === 0 ? [] : [table([['When', 'What', 'Posted'], ...rows])]),
    ],
  });
}

export interface DigestItem {
  readonly title: string;
  readonly url: string | null;
  readonly summary: UsageSummary;
}

export function digestMessage(items: readonly DigestItem[]): Message {
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
    text: 'Usage of the last week',
    blocks: [
      header('Usage of the last week'),
      ...top.map((text) => section(text)),
      ...(rows.length > 0 ? [table([['Content', 'Visits', 'Sessions', 'People'], ...rows])] : []),
    ],
  });
}

export function auditMessage(
  last: string,
  user: string | null,
  entries: readonly AuditEntry[],
  share: string,
): Message {
  const rows = entries.map((entry) => [
    plainMoment(entry.time),
    line(entry.user_description, 60),
    line(entry.action, 40),
    line(entry.event_description, 160),
  ]);
  const whose = user === null ? '' : ` of ${inline(user)}`;
  return fit({
    text: `Audit log${whose}, last ${inline(last)}`,
    blocks: [
      section(
        `*Audit log*${whose}, last ${inline(last)}: ${count(entries.length, 'entry', 'entries')}, the newest first`,
      ),
      ...(rows.length === 0 ? [] : [table([['When', 'Who', 'Action', 'What'], ...rows])]),
      actions(shareButton(share)),
    ],
  });
}
