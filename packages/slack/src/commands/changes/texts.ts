// Help of `changes`.
import { bothLanguages } from '../../texts/both-languages.ts';

export const changesTexts = bothLanguages({
  en: {
    summary:
      'Show what differs between the newest bundle, or another one, and the live one, in files and lines',
    options: {
      bundle: 'the newer bundle; the newest by default',
      since: 'the older bundle; the live one by default',
    },
  },
  de: {
    summary:
      'Zeigt, worin sich das neueste Bundle, oder ein anderes, vom aktiven unterscheidet, in Dateien und Zeilen',
    options: {
      bundle: 'das neuere Bundle; ohne Angabe das neueste',
      since: 'das ältere Bundle; ohne Angabe das aktive',
    },
  },
});
