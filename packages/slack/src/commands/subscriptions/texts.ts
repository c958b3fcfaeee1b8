// Help of `subscriptions`.
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
