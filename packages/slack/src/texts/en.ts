// What several parts of the bot say in English; de.ts has the same in German, and the compiler compares them. What one command
// says stands in its folder, in both languages (both-languages.ts). What is put into a text
// has been made safe by the caller (blocks/text.ts); formatting is Slack's mrkdwn.
import { channels } from './en/channels.ts';
import { deploys } from './en/deploys.ts';
import { general } from './en/general.ts';
import { people } from './en/people.ts';

export type { LanguageCode } from './en/general.ts';

export const en = {
  ...general,
  ...deploys,
  ...people,
  ...channels,
};

export type Texts = typeof en;
