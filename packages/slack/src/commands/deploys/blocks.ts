// Messages of `deploys`.
import { actions, context, section, shareButton, table, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { inline, line } from '../../blocks/text.ts';
import type { Texts } from '../../texts/en.ts';
import type { Outcome } from '../shared/rollback-targets.ts';
import { deploysTexts } from './texts.ts';

export interface DeployEntry {
  readonly time: string;
  readonly who: string;
  readonly what: string;
  /** Its result; null if unknown. */
  readonly state: Outcome | null;
  readonly active: boolean | null;
}

export interface DeployList {
  /** Title of the content, or what all of it is. */
  readonly about: string;
  /** The period, such as `7d`. */
  readonly since: string;
  readonly entries: readonly DeployEntry[];
  /** Sentences about what is left out. */
  readonly cut: readonly string[];
}

export function deploysMessage(
  { about, since, entries, cut }: DeployList,
  share: string,
  texts: Texts,
): Message {
  const { words } = texts;
  const { states, active: live, title, headline } = deploysTexts(texts);
  const rows = entries.map(({ time, who, what, state, active }) => [
    { time },
    line(who, 60),
    line(what, 80),
    `${state === null ? '–' : states[state]}${active === true ? live : ''}`,
  ]);
  return fit({
    text: title(inline(about)),
    blocks: [
      section(headline(inline(about), inline(since), entries.length)),
      ...cut.map((text) => context(text)),
      ...(rows.length === 0 ? [] : [table([[words.time, words.user, words.event, words.status], ...rows])]),
      actions(shareButton(share, texts)),
    ],
  });
}
