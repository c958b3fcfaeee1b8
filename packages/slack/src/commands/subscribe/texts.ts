// Help of `subscribe`.
import { bothLanguages } from '../../texts/both-languages.ts';

export const subscribeTexts = bothLanguages({
  en: {
    summary:
      'Post notifications about a content item, or several, in this channel; deploys and failures by default',
    options: {
      all: 'all content that you can see',
      owner: 'content of this user; me for your own',
      tag: 'content with this tag',
      type: 'content of this type, such as shiny',
      quiet: 'hours in your time zone in which only failures are posted, such as 22-7',
      at: 'hour in your time zone at which digests come; 8 by default',
      variant: 'with renderings: of this variant only; several are separated by commas',
      language: 'language of the bot in this channel, en or de',
      'dry-run': 'show what would have been posted last week, without subscribing',
    },
  },
  de: {
    summary:
      'Postet in diesem Kanal Benachrichtigungen zu einem Inhalt oder mehreren; ohne Angabe Veröffentlichungen und Fehlschläge',
    options: {
      all: 'alle Inhalte, die Sie sehen dürfen',
      owner: 'Inhalte dieses Benutzers; me für eigene',
      tag: 'Inhalte mit diesem Tag',
      type: 'Inhalte dieses Typs, wie shiny',
      quiet: 'Stunden in Ihrer Zeitzone, in denen nur Fehlschläge gepostet werden, wie 22-7',
      at: 'Stunde in Ihrer Zeitzone, zu der Übersichten kommen; ohne Angabe 8',
      variant: 'mit renderings: nur von dieser Variante; mehrere durch Kommas getrennt',
      language: 'Sprache des Bots in diesem Kanal, en oder de',
      'dry-run': 'zeigt, was letzte Woche gepostet worden wäre, ohne zu abonnieren',
    },
  },
});
