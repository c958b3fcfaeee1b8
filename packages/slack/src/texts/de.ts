// Every text of the bot in German.
import { channels } from './de/channels.ts';
import { deploys } from './de/deploys.ts';
import { facts } from './de/facts.ts';
import { general } from './de/general.ts';
import { help } from './de/help.ts';
import { people } from './de/people.ts';
import type { Texts } from './en.ts';

export const de: Texts = {
  ...general,
  ...deploys,
  ...people,
  ...channels,
  ...facts,
  ...help,
};
