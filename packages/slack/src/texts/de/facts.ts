// Status, logs and usage in German.
import { formatFor } from '../format.ts';
import type { Texts } from '../en.ts';

const { count, number, percent, period } = formatFor('de');

export const facts: Pick<Texts, 'logs' | 'status' | 'usage'> = {
  logs: {
    running: 'läuft noch',
    succeeded: 'ist gelungen',
    failed: (code) => `ist mit Code ${code} fehlgeschlagen`,
    text: (task, state) => `Task ${task} ${state}`,
    headline: (title, task, state, n) => `*${title}*: Task ${task} ${state}, ${count(n, 'Zeile', 'Zeilen')}`,
    noTask: 'Auch einen Task mit dieser ID gibt es nicht. Der Server behält Tasks begrenzte Zeit.',
    noDeploy: (title) => `Zu *${title}* wurde keine Veröffentlichung gefunden.`,
    unknownContent: (task) =>
      `Der Inhalt von Task ${task} ist nicht bekannt. Geben Sie stattdessen den Namen des Inhalts ein.`,
    followedBy: (who) => `jemandem (verfolgt von ${who})`,
    unknownTask:
      'Das Protokoll ist nicht verfügbar, weil der Task dieser Veröffentlichung nicht bekannt ist.',
    sent: (task) => `Das ganze Protokoll von Task ${task} steht in Ihren Direktnachrichten.`,
  },
  status: {
    live: 'Live',
    never: 'Nie',
    bundles: (id, n) => `${id} (${count(n, 'Bundle', 'Bundles')})`,
    deploying: (bundle, since, task) =>
      `:hourglass_flowing_sand: Bundle ${bundle} wird seit ${since} veröffentlicht${task}`,
    failed: (bundle, when, task, error) =>
      `:x: Die letzte Veröffentlichung, von Bundle ${bundle} am ${when}, ist fehlgeschlagen${task}: ${error}`,
    task: (task) => ` (Task ${task})`,
    online: (server) => `${server} ist erreichbar`,
    version: (version) => `, Version ${version}`,
    notLinked: 'Ihr Konto ist nicht verknüpft.',
    signedIn: (who) => `Angemeldet als ${who}`,
    notPublished: 'nicht veröffentlicht',
  },
  usage: {
    yourContent: 'Ihren Inhalten',
    ownNone: 'Sie haben keine eigenen Inhalte.',
    title: (about) => `Nutzung von ${about}`,
    period: (last) => `letzte ${period(last)}`,
    picture: 'Als Bild',
    text: (about, n, last) =>
      `Nutzung von ${about}, letzte ${period(last)}: ${count(n, 'Besuch', 'Besuche')}`,
    headline: (about, last) => `*Nutzung von ${about}*, letzte ${period(last)}`,
    comparedWith: 'Verglichen mit davor',
    noEarlier: 'keine früheren Daten',
    change: (arrow, share, before) => `${arrow} ${percent(share)} (davor ${number(before)})`,
    sessionTime: 'Sitzungsdauer',
    mostVisited: 'Am meisten besucht',
    mostActive: 'Am aktivsten',
    showing: (shown, all) => `${number(shown)} von ${number(all)} werden gezeigt.`,
    loading: (about, share, records) =>
      `Lade die Nutzung von *${about}*: ${percent(share)}, ${count(records, 'Eintrag', 'Einträge')}`,
    by: {
      day: 'Nutzung nach Tagen',
      week: 'Nutzung nach Wochen',
      user: 'Nutzung nach Personen',
    },
    together: {
      day: (n) => `Nutzung, je ${number(n)} Tage zusammen`,
      week: (n) => `Nutzung, je ${number(n)} Wochen zusammen`,
      user: () => 'Nutzung nach Personen',
    },
    alternative: (about, last, visits, people, change) =>
      `Diagramm der Nutzung von ${about}, letzte ${period(last)}: ${count(visits, 'Besuch', 'Besuche')}, ${count(people, 'Person', 'Personen')}, ${change}`,
    digestWeek: 'Nutzung der letzten Woche',
    digestDay: 'Nutzung seit gestern',
    digestLine: (title, visits, people, trend) =>
      `${title}: ${count(visits, 'Besuch', 'Besuche')} von ${count(people, 'Person', 'Personen')}${trend}`,
  },
};
