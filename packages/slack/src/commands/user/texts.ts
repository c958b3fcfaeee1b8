// Texts of `user`, and its help.
import { bothLanguages } from '../../texts/both-languages.ts';
import { formatFor } from '../../texts/format.ts';

const en = formatFor('en');
const de = formatFor('de');

export const userTexts = bothLanguages({
  en: {
    summary: 'Show a person’s role, last activity, groups and content on the content server',
    options: {},
    lockTitle: 'Lock this account?',
    unlockTitle: 'Unlock this account?',
    lockText: (who: string) =>
      `*${who}* will not be able to sign in or use API keys until the account is unlocked.`,
    unlockText: (who: string) => `*${who}* will be able to sign in and use API keys again.`,
    locked: (who: string) => `*${who}* is locked now.`,
    unlocked: (who: string) => `*${who}* is unlocked now.`,
    noContent: 'No content that you can see.',
    content: (n: number, list: string, more: number) =>
      `*Content* (${en.number(n)}): ${list}${more > 0 ? `, and ${en.number(more)} more` : ''}`,
    matches: (n: number, words: string) => `${en.count(n, 'account', 'accounts')} match ${words}`,
    noMatch: (words: string) => `No account that you can see matches *${words}*.`,
    noEmail: 'Slack does not share the email address of this person.',
  },
  de: {
    summary: 'Zeigt Rolle, letzte Aktivität, Gruppen und Inhalte einer Person auf dem Content-Server',
    options: {},
    lockTitle: 'Dieses Konto sperren?',
    unlockTitle: 'Dieses Konto entsperren?',
    lockText: (who) =>
      `*${who}* kann sich nicht mehr anmelden und keine API-Schlüssel verwenden, bis das Konto entsperrt wird.`,
    unlockText: (who) => `*${who}* kann sich wieder anmelden und API-Schlüssel verwenden.`,
    locked: (who) => `*${who}* ist jetzt gesperrt.`,
    unlocked: (who) => `*${who}* ist jetzt entsperrt.`,
    noContent: 'Kein Inhalt, den Sie sehen dürfen.',
    content: (n, list, more) =>
      `*Inhalte* (${de.number(n)}): ${list}${more > 0 ? `, und ${de.number(more)} weitere` : ''}`,
    matches: (n, words) => `${de.count(n, 'Konto passt', 'Konten passen')} zu ${words}`,
    noMatch: (words) => `Kein Konto, das Sie sehen dürfen, passt zu *${words}*.`,
    noEmail: 'Slack gibt die E-Mail-Adresse dieser Person nicht preis.',
  },
});
