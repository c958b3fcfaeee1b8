// What `subscriptions` does, as help says it.
import { bothLanguages } from '../../texts/both-languages.ts';

export const subscriptionsTexts = bothLanguages({
  en: {
    summary: 'List the subscriptions of this channel',
    options: {},
  },
  de: {
    summary: 'Listet die Abonnements dieses Kanals auf',
    options: {},
  },
});
