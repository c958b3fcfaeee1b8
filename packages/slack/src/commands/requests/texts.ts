// Help of `requests`.
import { bothLanguages } from '../../texts/both-languages.ts';

export const requestsTexts = bothLanguages({
  en: {
    summary: 'List open requests for access to content that you share; grant or decline them',
    options: {},
  },
  de: {
    summary: 'Zeigt offene Bitten um Zugriff auf Inhalt, den Sie teilen; zum Erteilen oder Ablehnen',
    options: {},
  },
});
