// Help of `releases`.
import { bothLanguages } from '../../texts/both-languages.ts';

export const releasesTexts = bothLanguages({
  en: {
    summary: 'Show the bundles that wait for approval, and who approved them',
    options: {},
  },
  de: {
    summary: 'Zeigt die Bundles, die auf Freigabe warten, und wer sie freigegeben hat',
    options: {},
  },
});
