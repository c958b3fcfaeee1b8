// German numbers, buttons, words and failures.
import { formatFor } from '../format.ts';
import type { Texts } from '../en.ts';

const { count, number, percent, span } = formatFor('de');

export const general: Pick<
  Texts,
  | 'code'
  | 'number'
  | 'percent'
  | 'span'
  | 'bundles'
  | 'files'
  | 'lines'
  | 'visits'
  | 'buttons'
  | 'words'
  | 'visibility'
  | 'roles'
  | 'contentRoles'
  | 'failure'
  | 'find'
  | 'parse'
> = {
  code: 'de',
  number,
  percent,
  span,
  bundles: (n) => count(n, 'Bundle', 'Bundles'),
  files: (n) => count(n, 'Datei', 'Dateien'),
  lines: (n) => count(n, 'Zeile', 'Zeilen'),
  visits: (n) => count(n, 'Besuch', 'Besuche'),
  buttons: {
    approvals: 'Freigaben',
    approve: 'Freigeben',
    cancel: 'Abbrechen',
    changes: 'Änderungen',
    chooseContent: 'Inhalt auswählen',
    decline: 'Ablehnen',
    deploy: 'Veröffentlichen',
    close: 'Schließen',
    commands: 'Befehle',
    follow: 'Im Kanal verfolgen',
    fullLog: 'Ganzes Protokoll',
    grantCollaborator: 'Mitarbeit erlauben',
    grantViewer: 'Ansehen erlauben',
    keep: 'Behalten',
    link: 'Verknüpfen',
    lock: 'Sperren',
    logs: 'Protokoll',
    makeLive: 'Live schalten',
    makePublisher: 'Zum Publisher machen',
    open: 'Öffnen',
    openDraft: 'Entwurf öffnen',
    openSignIn: 'Anmeldeseite öffnen',
    recentDeploys: 'Letzte Veröffentlichungen',
    redeploy: 'Erneut veröffentlichen',
    rollBack: 'Zurücksetzen',
    rollBackAsk: 'Zurücksetzen …',
    share: 'Im Kanal teilen',
    signIn: 'Im Browser anmelden',
    status: 'Status',
    unlock: 'Entsperren',
    unusedContent: 'Ungenutzte Inhalte',
    unsubscribe: 'Abbestellen',
    usage: 'Nutzung',
    useKey: 'API-Schlüssel verwenden',
  },
  words: {
    access: 'Zugriff',
    account: 'Konto',
    action: 'Aktion',
    active: 'Aktiv',
    anonymous: 'anonym',
    anonymousVisits: 'Anonym',
    bundle: 'Bundle',
    cause: 'Ursache',
    content: 'Inhalt',
    created: 'Angelegt',
    day: 'Tag',
    details: 'Details',
    didYouMean: 'Meinten Sie:',
    email: 'E-Mail',
    event: 'Ereignis',
    groups: 'Gruppen',
    lastActive: 'Zuletzt aktiv',
    lastDeploy: 'Zuletzt veröffentlicht',
    locked: 'Gesperrt',
    name: 'Name',
    never: 'nie',
    none: 'Keine',
    notPublished: 'Nicht veröffentlicht',
    notVisible: 'für Sie nicht sichtbar',
    owner: 'Eigentümer',
    people: 'Personen',
    personOrGroup: 'Person oder Gruppe',
    result: 'Ergebnis',
    role: 'Rolle',
    sessions: 'Sitzungen',
    somebody: 'Jemand',
    status: 'Status',
    time: 'Zeit',
    type: 'Typ',
    user: 'Benutzer',
    visibleTo: 'Sichtbar für',
    visits: 'Besuche',
    week: 'Woche ab',
    you: 'Sie',
    yourContent: 'Ihre Inhalte',
    yourRole: 'Ihre Rolle',
  },
  visibility: {
    all: 'Alle',
    logged_in: 'Alle mit einem Konto',
    acl: 'Bestimmte Personen und Gruppen',
  },
  roles: { administrator: 'Administrator', publisher: 'Publisher', viewer: 'Betrachter' },
  contentRoles: { owner: 'Eigentümer', editor: 'Mitarbeiter', viewer: 'Betrachter', none: 'keine' },
  failure: {
    busy: 'Der Bot ist ausgelastet. Versuchen Sie es in einer Minute noch einmal.',
    unexpected: 'Im Bot ist ein unerwarteter Fehler aufgetreten. Siehe sein Protokoll.',
    headline: (doing) => `${doing} fehlgeschlagen`,
    code: (code) => `Code ${code}`,
    invalidKey:
      'Ihr API-Schlüssel gilt nicht mehr: Er wurde widerrufen, oder Ihr Konto ist gesperrt. Verknüpfen Sie Ihr Konto neu.',
    command: (line) => `${line}:`,
    readLog: 'Lesen des Protokolls',
    redeploy: 'Erneutes Veröffentlichen',
    rollback: 'Zurücksetzen',
    sendLog: 'Senden des Protokolls',
    lockAccount: 'Sperren oder Entsperren des Kontos',
    link: 'Verknüpfen',
    grantAccess: 'Das Erteilen des Zugriffs',
    declineAccess: 'Das Ablehnen der Anfrage',
    keep: 'Das Behalten',
    noPermission: (title) => `Sie dürfen *${title}* nicht veröffentlichen.`,
    expiredChoice: 'Diese Auswahl ist abgelaufen. Geben Sie den Befehl noch einmal ein.',
    noContentInMessage: 'In dieser Nachricht geht es um keinen Inhalt des Servers.',
  },
  find: {
    several: (n, words) => `${number(n)} Inhalte passen zu *${words}*.`,
    which: (words) => `Welcher Inhalt ist ${words}?`,
    onlyFirst: 'Nur die ersten 100 werden gezeigt. Geben Sie mehr vom Namen ein, um weniger zu sehen.',
    none: (words) => `Kein Inhalt passt zu ${words}`,
    noneVisible: (words) => `Kein Inhalt, den Sie sehen dürfen, passt zu *${words}*.`,
  },
  parse: {
    unknownCommand: (word) => `Unbekannter Befehl „${word}“.`,
    unknownOption: (flag, command) => `Unbekannte Option --${flag} für ${command}.`,
    needsValue: (option) => `--${option} braucht einen Wert.`,
    duration: (option) => `--${option} muss eine Dauer wie 24h, 7d, 4w oder 3m sein, höchstens zwei Jahre.`,
    choice: (option, values) => `--${option} muss eines von ${values} sein.`,
    number: (option) => `--${option} muss eine Zahl sein.`,
    tooLong: 'Der Name ist zu lang.',
    instead: (option) =>
      `--${option} steht anstelle eines Namens: Lassen Sie den Namen weg. Ein Wert aus mehreren Wörtern muss in Anführungszeichen stehen.`,
    oneOf: (option, other) => `--${option} und --${other} schließen sich aus.`,
    noName: (command) => `${command} nimmt keinen Namen.`,
    missing: (usage) => `Es fehlt eine Angabe. Aufruf: /pressroom ${usage}`,
  },
};
