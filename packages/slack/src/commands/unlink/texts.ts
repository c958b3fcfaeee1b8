// Texts of `unlink`, and its help.
import { bothLanguages } from '../../texts/both-languages.ts';

export const unlinkTexts = bothLanguages({
  en: {
    summary: 'Unlink your account and delete your API key from the bot',
    options: {},
    notLinked: 'Your account was not linked.',
    revoked: 'Your account is unlinked, and the bot’s API key for it is revoked.',
    left: 'Your account is unlinked, and the bot has deleted your API key. Revoke the key on the server, too.',
  },
  de: {
    summary: 'Löst die Verknüpfung und löscht Ihren API-Schlüssel im Bot',
    options: {},
    notLinked: 'Ihr Konto war nicht verknüpft.',
    revoked: 'Ihr Konto ist nicht mehr verknüpft, und der API-Schlüssel des Bots dafür ist widerrufen.',
    left: 'Ihr Konto ist nicht mehr verknüpft, und der Bot hat Ihren API-Schlüssel gelöscht. Widerrufen Sie den Schlüssel auch auf dem Server.',
  },
});
