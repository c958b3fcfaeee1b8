// German texts about requests for access, and linked accounts.
import type { people as english } from '../en/people.ts';
import { formatFor } from '../format.ts';

const { count, number } = formatFor('de');

export const people: typeof english = {
  access: {
    asks: (who, title) => `:key: *${who}* bittet um Zugriff auf *${title}*`,
    asksText: (who, title) => `${who} bittet um Zugriff auf ${title}`,
    asksRole: (who) => `:key: *${who}* möchte Publisher werden`,
    asksRoleText: (who) => `${who} möchte Publisher werden`,
    grantedViewer: (by, when) => `:white_check_mark: Ansehen erlaubt von ${by} ${when}`,
    grantedCollaborator: (by, when) => `:white_check_mark: Mitarbeit erlaubt von ${by} ${when}`,
    grantedPublisher: (by, when) => `:white_check_mark: Zum Publisher gemacht von ${by} ${when}`,
    declined: (by, when) => `:no_entry_sign: Abgelehnt von ${by} ${when}`,
    expired: (when) => `:hourglass: Abgelaufen ${when}: 30 Tage lang hat niemand geantwortet`,
    closed: 'Diese Anfrage ist geschlossen.',
    over: 'Diese Anfrage ist schon beantwortet.',
    youGranted: 'Der Zugriff ist erteilt.',
    youDeclined: 'Die Anfrage ist abgelehnt.',
    youSee: (title) => `:white_check_mark: Sie haben Zugriff auf *${title}*.`,
    youSeeText: (title) => `Sie haben Zugriff auf ${title}`,
    yourDeclined: (address) =>
      `Ihre Bitte um Zugriff wurde abgelehnt: ${address}. 24 Stunden nach der Anfrage können Sie erneut fragen.`,
    yourDeclinedText: 'Ihre Bitte um Zugriff wurde abgelehnt',
    yourExpired: (address) =>
      `Ihre Bitte um Zugriff hat 30 Tage lang niemand beantwortet: ${address}. Sie können erneut fragen.`,
    yourExpiredText: 'Ihre Bitte um Zugriff ist abgelaufen',
    youPublish: 'Sie sind jetzt Publisher.',
    yourRoleDeclined:
      'Ihre Bitte, Publisher zu werden, wurde abgelehnt. 24 Stunden nach der Anfrage können Sie erneut fragen.',
    yourRoleExpired:
      'Ihre Bitte, Publisher zu werden, hat 30 Tage lang niemand beantwortet. Sie können erneut fragen.',
    list: (n) => count(n, 'offene Anfrage', 'offene Anfragen'),
    noneOpen: 'Keine offenen Anfragen.',
    onlyOldest: (n) => `Nur die ältesten ${number(n)} werden gezeigt.`,
  },
  link: {
    noWindow:
      'Slack hat das Fenster nicht geöffnet. Drücken Sie noch einmal, oder melden Sie sich im Browser an.',
    title: 'Konto verknüpfen',
    about: (server) =>
      `Der Bot handelt mit *Ihren* Rechten auf ${server}. Erzeugen Sie dort einen API-Schlüssel, und fügen Sie ihn hier ein.`,
    key: 'API-Schlüssel',
    keyHint: (command) => `Wird verschlüsselt gespeichert und nie gezeigt. ${command} unlink löscht ihn.`,
    again: (who) =>
      `Ihr Konto ist verknüpft: Sie sind als *${who}* angemeldet. Mit einem anderen Konto verknüpfen Sie hier neu.`,
    needed:
      'Dafür brauchen Sie Ihr Konto auf dem Content-Server. Verknüpfen Sie es einmal, dann geht es mit Ihrer Anfrage weiter.',
    first: 'Verknüpfen Sie zuerst Ihr Konto',
    browserText: 'Melden Sie sich im Browser an, um Ihr Konto zu verknüpfen',
    browser: (server, code) =>
      `Melden Sie sich auf ${server} an, und bestätigen Sie die Anfrage, wenn die Seite den Code *${code}* zeigt. Der Bot handelt dann mit *Ihren* Rechten.`,
    browserHint:
      'Gilt einmal, zehn Minuten lang. Geben Sie diesen Code nicht weiter: Wer ihn bestätigt, lässt Ihren Slack-Benutzer mit seinem Konto handeln.',
    noEmail:
      'Slack gibt Ihre E-Mail-Adresse nicht preis, deshalb weiß der Bot nicht, welches Konto Ihres ist. Verwenden Sie einen API-Schlüssel.',
    otherWorkspace:
      'Sie sind in einem anderen Workspace als der Bot, deshalb weiß er nicht, welches Konto Ihres ist. Verwenden Sie einen API-Schlüssel.',
    otherAccount: (who) =>
      `Das Konto *${who}* hat eine andere E-Mail-Adresse als Ihr Slack-Profil und wurde deshalb nicht verknüpft. Wenn es Ihres ist, verwenden Sie einen API-Schlüssel.`,
    done: (who) => `Ihr Konto ist verknüpft. Sie sind als *${who}* angemeldet.`,
    notAKey: 'Das ist kein gültiger API-Schlüssel.',
    unknownAccount:
      'Der Server sagt nicht, wessen Schlüssel das ist, und kein Konto dort hat die E-Mail-Adresse Ihres Slack-Profils.',
    rejected: 'Der Server hat diesen API-Schlüssel abgelehnt.',
    problems: {
      unsupported:
        'Auf diesem Server kann man sich nicht im Browser anmelden. Verwenden Sie einen API-Schlüssel.',
      denied:
        'Die Anmeldung wurde im Browser abgelehnt. Versuchen Sie es noch einmal, oder verwenden Sie einen API-Schlüssel.',
      expired:
        'Die Anmeldung wurde nicht rechtzeitig bestätigt. Versuchen Sie es noch einmal: Ein Code gilt zehn Minuten.',
    },
  },
};
