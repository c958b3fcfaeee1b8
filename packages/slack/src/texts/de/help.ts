// Help in German.
import type { Texts } from '../en.ts';

export const help: Pick<Texts, 'help' | 'commands'> = {
  help: {
    title: 'Befehle',
    text: (command) => `Befehle von ${command}`,
    content:
      'Für Inhalt geben Sie den Namen, einen Teil des Titels oder die GUID ein, oder fügen die Adresse ein.',
    byDefault: (value) => ` (Standard: ${value})`,
    more: (command) => `Hilfe gibt es mit \`${command}\`.`,
  },
  commands: {
    status: {
      summary:
        'Zeigt, ob ein Inhalt live ist und wann er zuletzt veröffentlicht wurde; ohne Namen den Server und Ihre Inhalte',
      options: {},
    },
    deploys: {
      summary:
        'Listet die Veröffentlichungen eines Inhalts auf, oder aller Inhalte, die Sie bearbeiten dürfen',
      options: { since: 'wie weit zurück' },
    },
    deploy: {
      summary:
        'Veröffentlicht das aktive Bundle noch einmal, oder ein anderes; der Kanal zeigt den Fortschritt',
      options: { bundle: 'das Bundle' },
    },
    rollback: {
      summary:
        'Setzt auf das letzte Bundle zurück, das funktioniert hat, oder auf ein anderes; Sie bestätigen vorher',
      options: { bundle: 'das Bundle, auf das zurückgesetzt wird' },
    },
    releases: {
      summary: 'Zeigt die Bundles, die auf Freigabe warten, und wer sie freigegeben hat',
      options: {},
    },
    render: {
      summary: 'Rendert einen Bericht neu, oder für Sie mit anderen Werten seiner Parameter',
      options: { variant: 'die Variante, die gerendert wird; Werte werden ihre eigenen' },
    },
    approve: {
      summary: 'Gibt ein Bundle frei, das darauf wartet, als Mitarbeiter, der es nicht hochgeladen hat',
      options: { bundle: 'das Bundle, wenn mehrere warten' },
    },
    changes: {
      summary:
        'Zeigt, worin sich das neueste Bundle, oder ein anderes, vom aktiven unterscheidet, in Dateien und Zeilen',
      options: {
        bundle: 'das neuere Bundle; ohne Angabe das neueste',
        since: 'das ältere Bundle; ohne Angabe das aktive',
      },
    },
    lock: {
      summary: 'Sperrt Veröffentlichungen eines Inhalts, bis die Sperre endet oder aufgehoben wird',
      options: {
        reason: 'was allen gesagt wird, die veröffentlichen wollen',
        for: 'wie lange, wie 4h oder 2d; ohne Angabe bis `unlock`',
      },
    },
    unlock: { summary: 'Erlaubt Veröffentlichungen eines Inhalts wieder', options: {} },
    logs: {
      summary:
        'Zeigt die Ausgabe der letzten Veröffentlichung oder eines Tasks; --follow zeigt sie fortlaufend im Kanal',
      options: { follow: 'zeigt den Fortschritt im Kanal bis zum Ende' },
    },
    usage: {
      summary: 'Zeigt Besuche, Sitzungen, Personen und Trend; ohne Namen von allen eigenen Inhalten',
      options: { last: 'wie weit zurück', by: 'wonach gezählt wird', picture: 'ein Bild zum Herumzeigen' },
    },
    user: {
      summary: 'Zeigt Rolle, letzte Aktivität, Gruppen und Inhalte einer Person auf dem Content-Server',
      options: {},
    },
    requests: {
      summary: 'Zeigt offene Bitten um Zugriff auf Inhalt, den Sie teilen; zum Erteilen oder Ablehnen',
      options: {},
    },
    who: { summary: 'Zeigt, wem ein Inhalt gehört und wer ihn ansehen oder bearbeiten darf', options: {} },
    subscribe: {
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
    unsubscribe: { summary: 'Beendet Benachrichtigungen zu einem Inhalt in diesem Kanal', options: {} },
    subscriptions: { summary: 'Listet die Abonnements dieses Kanals auf', options: {} },
    link: { summary: 'Verknüpft Ihren Slack-Benutzer mit Ihrem Konto auf dem Content-Server', options: {} },
    unlink: { summary: 'Löst die Verknüpfung und löscht Ihren API-Schlüssel im Bot', options: {} },
    audit: {
      summary: 'Zeigt das Audit-Log des Servers; für Administratoren',
      options: { user: 'nur, was diese Person getan hat', last: 'wie weit zurück' },
    },
    help: { summary: 'Listet die Befehle auf oder erklärt einen', options: {} },
  },
};
