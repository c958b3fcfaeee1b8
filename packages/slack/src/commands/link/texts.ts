// Help of `link`.
import { bothLanguages } from '../../texts/both-languages.ts';

export const linkTexts = bothLanguages({
  en: {
    summary: 'Link your Slack user to your account on the content server',
    options: {},
  },
  de: {
    summary: 'Verknüpft Ihren Slack-Benutzer mit Ihrem Konto auf dem Content-Server',
    options: {},
  },
});
