// German texts shared by several parts of the bot.
import { channels } from './de/channels.ts';
import { deploys } from './de/deploys.ts';
import { general } from './de/general.ts';
import { people } from './de/people.ts';
import type { Texts } from './en.ts';

export const de: Texts = {
  ...general,
  ...deploys,
  ...people,
  ...channels,
};
