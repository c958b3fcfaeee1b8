// English texts shared by several parts of the bot; de.ts has the same in German, and the compiler compares them. Texts
// of one command are in its folder, in both languages (both-languages.ts). Inserted values are made safe by the caller
// (blocks/text.ts); formatting is Slack's mrkdwn.
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
