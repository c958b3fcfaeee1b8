// Messages of `audit`.
import type { AuditEntry } from '@pressroom/api/contract';
import { actions, section, shareButton, table, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { inline, line } from '../../blocks/text.ts';
import type { Texts } from '../../texts/en.ts';
import { auditTexts } from './texts.ts';

export interface AuditList {
  /** The period, such as `7d`. */
  readonly last: string;
  /** Whose actions; null for everybody's. */
  readonly user: string | null;
  readonly entries: readonly AuditEntry[];
  /** Whether older ones are not shown. */
  readonly more: boolean;
}

export function auditMessage({ last, user, entries, more }: AuditList, share: string, texts: Texts): Message {
  const rows = entries.map((entry) => [
    { time: entry.time },
    line(entry.user_description, 60),
    line(entry.action, 40),
    line(entry.event_description, 160),
  ]);
  const whose = user === null ? '' : inline(user);
  const { words } = texts;
  return fit({
    text: auditTexts(texts).title(whose, inline(last)),
    blocks: [
      section(auditTexts(texts).headline(whose, inline(last), entries.length, more)),
      ...(rows.length === 0 ? [] : [table([[words.time, words.user, words.action, words.details], ...rows])]),
      actions(shareButton(share, texts)),
    ],
  });
}
