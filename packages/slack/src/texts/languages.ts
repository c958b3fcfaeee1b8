// The bot's language: with a person that of their Slack, in a channel the chosen one.
import type { SlackPort } from '../deliver/transport/slack-port.ts';
import type { Store } from '../store/store.ts';
import { de } from './de.ts';
import { en, type LanguageCode, type Texts } from './en.ts';

export const TEXTS: Readonly<Record<LanguageCode, Texts>> = { en, de };

export interface Languages {
  /** Never fails: the bot's default language if Slack does not respond in time. */
  ofPerson(team: string, user: string): Promise<Texts>;
  /** @param person in case it is their direct messages */
  ofChannel(team: string, channel: string, person?: string | null): Promise<Texts>;
  choose(team: string, channel: string, code: LanguageCode): Promise<void>;
}

export interface LanguagesOptions {
  readonly slack: Pick<SlackPort, 'user'>;
  readonly store: Pick<Store, 'readCursor' | 'saveCursor'>;
  /** Default of the bot. */
  readonly usual: LanguageCode;
  readonly now: () => number;
}

/** Milliseconds a person's language is cached; after a failure, Slack is asked again sooner. */
const REMEMBERED = 3_600_000;
const AFTER_FAILURE = 60_000;
const KEPT = 10_000;
/** Milliseconds: responses do not wait longer for their language, and modals must open within three seconds. */
const PATIENCE = 700;

export function languageCode(text: string): LanguageCode | null {
  const code = text.slice(0, 2).toLowerCase();
  return code === 'en' || code === 'de' ? code : null;
}

export function createLanguages({ slack, store, usual, now }: LanguagesOptions): Languages {
  const known = new Map<string, { readonly code: Promise<LanguageCode>; readonly until: number }>();

  function ask(team: string, user: string): Promise<LanguageCode> {
    const key = `${team}/${user}`;
    const remembered = known.get(key);
    if (remembered && remembered.until > now()) return remembered.code;
    const asking = slack.user(team, user).then(
      ({ locale }) => languageCode(locale ?? '') ?? usual,
      () => {
        known.set(key, { code: Promise.resolve(usual), until: now() + AFTER_FAILURE });
        return usual;
      },
    );
    if (known.size >= KEPT) known.clear();
    known.set(key, { code: asking, until: now() + REMEMBERED });
    return asking;
  }

  const ofPerson = async (team: string, user: string): Promise<Texts> => {
    const { promise: late, resolve } = Promise.withResolvers<LanguageCode>();
    const timer = setTimeout(() => resolve(usual), PATIENCE);
    try {
      return TEXTS[await Promise.race([ask(team, user), late])];
    } finally {
      clearTimeout(timer);
    }
  };
  const keyOf = (team: string, channel: string) => `language/${team}/${channel}`;

  return {
    ofPerson,
    async ofChannel(team, channel, person = null) {
      if (person !== null && channel.startsWith('D')) return ofPerson(team, person);
      const chosen = await store.readCursor(keyOf(team, channel));
      return TEXTS[languageCode(chosen ?? '') ?? usual];
    },
    choose: (team, channel, code) => store.saveCursor(keyOf(team, channel), code),
  };
}
