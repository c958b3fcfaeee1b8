// Every text of the bot in English; de.ts has the same in German, and the compiler compares them. What is put into a text
// has been made safe by the caller (blocks/text.ts); formatting is Slack's mrkdwn.
import { channels } from './en/channels.ts';
import { deploys } from './en/deploys.ts';
import { facts } from './en/facts.ts';
import { general } from './en/general.ts';
import { help } from './en/help.ts';
import { people } from './en/people.ts';

export type { LanguageCode } from './en/general.ts';

export const en = {
  ...general,
  ...deploys,
  ...people,
  ...channels,
  ...facts,
  ...help,
};

export type Texts = typeof en;
