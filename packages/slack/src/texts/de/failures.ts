// German texts of the content server's refusals and remedies. Other codes are shown in the server's words.
import type { InvalidResponseKind, NoResponseKind } from '@pressroom/api/client';
import type { DiagnosisKind } from '@pressroom/api/publish';

const OWNER =
  'Bitten Sie den Eigentümer des Inhalts, Sie zum Mitarbeiter zu machen, oder veröffentlichen Sie ihn als neuen Inhalt.';
const LINK = 'Verknüpfen Sie Ihr Konto neu.';
const ADMINISTRATOR = 'Wenden Sie sich an einen Administrator des Servers.';
const LATER = 'Versuchen Sie es gleich noch einmal.';

/** Meaning and remedy by code of the contract (section 7). */
export const CODES: Readonly<Record<number, readonly [reason: string, hint?: string]>> = {
  1: ['Interner Fehler des Servers.', `${LATER} Bleibt der Fehler: Der Server hat ihn protokolliert.`],
  2: [
    'Der Server kennt diese Funktion nicht.',
    'Prüfen Sie die Adresse, oder bitten Sie um eine neuere Version.',
  ],
  3: ['Ungültige Kennung.', 'Prüfen Sie sie auf Tippfehler.'],
  4: ['Das gibt es nicht.', 'Es wurde gelöscht, oder es war nie auf diesem Server.'],
  5: ['Der Name muss aus 3 bis 64 Buchstaben, Ziffern, Binde- und Unterstrichen bestehen.'],
  8: ['Der Benutzername ist vergeben.'],
  9: ['Diesen Benutzer gibt es nicht.'],
  10: ['Das gehört Ihnen nicht.', OWNER],
  12: ['Eine Angabe fehlt.'],
  13: ['Der Wert liegt außerhalb des erlaubten Bereichs.'],
  16: ['Das ist schon so.'],
  17: ['Das zu Entfernende gibt es nicht.'],
  18: ['Das zu Ändernde gibt es nicht mehr.', 'Vielleicht war jemand anderes schneller.'],
  19: ['Sie haben keinen Zugriff.', OWNER],
  20: ['Das dürfen Sie nicht entfernen.', OWNER],
  21: ['Das dürfen Sie nicht ändern.', OWNER],
  22: [
    'Das dürfen Sie nicht.',
    'Bitten Sie den Eigentümer des Inhalts, Sie zum Mitarbeiter zu machen. Gehört er Ihnen, bitten Sie einen Administrator um die Rolle Publisher.',
  ],
  23: ['Diese Rolle dürfen Sie nicht vergeben.'],
  24: ['Dafür müssen Sie angemeldet sein.', LINK],
  25: ['Eine Angabe ist ungültig.'],
  26: ['Der Name ist vergeben.'],
  28: ['Es gibt kein Bundle zum Veröffentlichen.', 'Laden Sie zuerst eines hoch.'],
  29: ['Die Anmeldung ist abgelaufen.', LINK],
  30: ['Die Anmeldung ist fehlgeschlagen.', LINK],
  32: ['Der Filter ist ungültig.'],
  33: ['Mitarbeiter kann nur sein, wer veröffentlichen darf.'],
  34: ['Der Eigentümer kann nicht Mitarbeiter oder Betrachter sein.'],
  35: ['Es wird noch verwendet.', 'Entfernen Sie es dort, und versuchen Sie es dann noch einmal.'],
  38: ['Das Manifest fehlt oder ist ungültig.', 'Veröffentlichen Sie noch einmal mit einem neuen Manifest.'],
  39: ['Inhalte dieses Typs können das nicht.'],
  48: [
    'Der Typ eines veröffentlichten Inhalts ändert sich nicht.',
    'Veröffentlichen Sie ihn als neuen Inhalt.',
  ],
  49: ['Diesen Benutzer dürfen Sie nicht sperren oder entsperren.'],
  50: ['Das Konto ist gesperrt.', 'Bitten Sie einen Administrator, es zu entsperren.'],
  59: ['Es gibt noch keine Ausgabe.'],
  61: ['Die Rolle des letzten Administrators ändert sich nicht.'],
  75: ['Das aktive Bundle lässt sich nicht löschen.', 'Aktivieren Sie zuerst ein anderes.'],
  82: ['Das Bundle gehört zu einem anderen Inhalt.', 'Wählen Sie ein Bundle dieses Inhalts.'],
  87: ['Der Server konnte die Anfrage nicht lesen.'],
  94: ['Das lässt sich nur einmal in 24 Stunden erbitten.'],
  95: ['Diese Art der Anmeldung ist hier nicht erlaubt.', 'Verwenden Sie einen API-Schlüssel.'],
  99: ['Sie müssen sich neu anmelden.', LINK],
  100: ['Das geht gerade nicht.', 'Warten Sie das Ende des laufenden Tasks ab.'],
  106: ['Jemand anderes hat die Umgebungsvariablen gerade geändert.'],
  109: ['Inhalte dieses Typs sind auf diesem Server nicht erlaubt.', ADMINISTRATOR],
  118: ['Diese Sichtbarkeit ist auf diesem Server nicht erlaubt.', ADMINISTRATOR],
  124: ['Kein Administrator hat eine E-Mail-Adresse.'],
  134: ['Der Server konnte das Bundle nicht speichern.', ADMINISTRATOR],
  135: ['Der Server konnte das Bundle nicht entpacken.', 'Veröffentlichen Sie noch einmal.'],
  141: ['Der Task wurde nicht gefunden.', 'Er läuft vielleicht noch. Sehen Sie gleich noch einmal nach.'],
  142: ['Der Inhalt kommt schon aus einem Git-Repository.'],
  143: ['Der Inhalt kommt nicht aus einem Git-Repository.'],
  144: ['Der Inhalt kommt aus einem Git-Repository.', 'Laden Sie die Änderung dort hoch.'],
  145: ['Git ist auf diesem Server ausgeschaltet.'],
};

/** By status, without a code. */
export const STATUSES: Readonly<Record<number, readonly [reason: string, hint?: string]>> = {
  401: ['Der Server verlangt eine Anmeldung.', LINK],
  403: [
    'Das dürfen Sie nicht.',
    'Wenden Sie sich an den Eigentümer des Inhalts oder an einen Administrator.',
  ],
  404: ['Das gibt es nicht.', 'Prüfen Sie die Adresse des Servers und die Kennung.'],
  409: ['Es wurde inzwischen geändert.', 'Sehen Sie nach, und versuchen Sie es noch einmal.'],
  429: ['Zu viele Anfragen.', 'Warten Sie einen Moment, und versuchen Sie es noch einmal.'],
  503: ['Der Server ist ausgelastet.', LATER],
};

export const NO_RESPONSE: Readonly<Record<NoResponseKind, readonly [reason: string, hint: string]>> = {
  dns: ['Der Name des Content-Servers wurde nicht gefunden.', ADMINISTRATOR],
  refused: ['Der Content-Server ist nicht erreichbar.', LATER],
  tls: ['Der Bot vertraut dem Zertifikat des Content-Servers nicht.', ADMINISTRATOR],
  timeout: ['Der Content-Server hat nicht rechtzeitig geantwortet.', LATER],
  reset: ['Die Verbindung zum Content-Server ist abgebrochen.', LATER],
  aborted: ['Die Anfrage wurde abgebrochen.', LATER],
};

const PROXY = 'Vielleicht hat statt seiner ein Proxy geantwortet. Versuchen Sie es gleich noch einmal.';

export const INVALID_RESPONSE: Readonly<
  Record<InvalidResponseKind, readonly [reason: string, hint: string]>
> = {
  html: ['Der Content-Server hat mit einer Webseite geantwortet.', PROXY],
  'not-json': ['Die Antwort des Content-Servers ist kein JSON.', PROXY],
  'wrong-shape': ['Die Antwort des Content-Servers hat eine unerwartete Form.', ADMINISTRATOR],
  redirect: ['Der Content-Server leitet auf eine andere Adresse um.', ADMINISTRATOR],
  'too-large': ['Die Antwort des Content-Servers ist zu groß.', 'Fragen Sie nach weniger auf einmal.'],
  'not-http': ['Die Adresse des Content-Servers spricht kein HTTP.', ADMINISTRATOR],
  'wrong-dialect': ['Der Content-Server antwortet in einer unerwarteten Version der API.', ADMINISTRATOR],
};

/** Adds the server's own details, in its language. */
export const inItsWords = (reason: string, said: string) => `${reason} Der Server schreibt: „${said}“`;
export const refused = (status: number) => `Der Server hat die Anfrage abgelehnt (HTTP ${status}).`;

/** Remedies for failed deploys, by cause. */
export const CAUSES: Readonly<Record<DiagnosisKind, string>> = {
  'missing-package': 'Der Code braucht ein Paket, das nicht da ist: Nehmen Sie es in den Inhalt auf.',
  'package-unavailable':
    'Der Server bekommt ein Paket nicht in dieser Version: Wählen Sie eine andere, oder bitten Sie darum.',
  install: 'Ein Paket lässt sich nicht installieren: Vielleicht fehlt dem Server eine Systembibliothek.',
  'missing-file': 'Eine Datei fehlt: Gehört sie zum Bundle, und stimmt ihr Pfad?',
  syntax: 'Der Code hat einen Syntaxfehler.',
  code: 'Der Code ist mit einem Fehler abgebrochen.',
  start: 'Es gibt nichts zu starten: Stimmen Einstiegspunkt und Name der Anwendung?',
  memory: 'Der Speicher hat nicht gereicht.',
  killed: 'Der Prozess wurde von außen beendet.',
  timeout: 'Es hat zu lange gedauert.',
  other: 'Die Ursache steht im Protokoll.',
};
