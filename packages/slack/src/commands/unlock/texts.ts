// Help of `unlock`.
import { bothLanguages } from '../../texts/both-languages.ts';

export const unlockTexts = bothLanguages({
  en: {
    summary: 'Allow deploys of a content item again',
    options: {},
  },
  de: {
    summary: 'Erlaubt Veröffentlichungen eines Inhalts wieder',
    options: {},
  },
});
