// Help of `unsubscribe`.
import { bothLanguages } from '../../texts/both-languages.ts';

export const unsubscribeTexts = bothLanguages({
  en: {
    summary: 'Stop notifications about a content item in this channel',
    options: {},
  },
  de: {
    summary: 'Beendet Benachrichtigungen zu einem Inhalt in diesem Kanal',
    options: {},
  },
});
