// Help of `unsubscribe`.
import { bothLanguages } from '../../texts/both-languages.ts';

export const unsubscribeTexts = bothLanguages({
  en: {
    summary: 'Stop notifications about a content item, or several, in this channel',
    options: {
      all: 'those about all content',
      owner: 'those about content of this user; me for your own',
      tag: 'those about content with this tag',
      type: 'those about content of this type, such as shiny',
    },
  },
  de: {
    summary: 'Beendet Benachrichtigungen zu einem Inhalt oder mehreren in diesem Kanal',
    options: {
      all: 'die zu allen Inhalten',
      owner: 'die zu Inhalten dieses Benutzers; me für eigene',
      tag: 'die zu Inhalten mit diesem Tag',
      type: 'die zu Inhalten dieses Typs, wie shiny',
    },
  },
});
