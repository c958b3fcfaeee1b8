// Texts of `usage`, and its help.
import { bothLanguages } from '../../texts/both-languages.ts';
import { formatFor } from '../../texts/format.ts';

const en = formatFor('en');
const de = formatFor('de');
const uses = {
  en: (n: number) => en.count(n, 'visit or session', 'visits and sessions'),
  de: (n: number) => de.count(n, 'Besuch oder Sitzung', 'Besuche und Sitzungen'),
};

export const usageTexts = bothLanguages({
  en: {
    summary: 'Show visits, sessions, people and trend; without a name, of all content you own',
    options: { last: 'how far back', by: 'what to count by', picture: 'a picture that can be shared' },
    yourContent: 'your content',
    ownNone: 'You do not own any content.',
    onlyCollaborators: (title: string) => `Only collaborators of *${title}* can see its usage.`,
    uncounted: (title: string) =>
      `*${title}* is an API: requests to it are neither visits nor sessions, and are not counted.`,
    title: (about: string) => `Usage of ${about}`,
    period: (last: string) => `last ${en.period(last)}`,
    picture: 'As a picture',
    text: (about: string, n: number, last: string) =>
      `Usage of ${about}: ${uses.en(n)} in the last ${en.period(last)}`,
    headline: (about: string, last: string) => `*Usage of ${about}*, last ${en.period(last)}`,
    comparedWith: 'Compared with before',
    noEarlier: 'no earlier data',
    change: (arrow: string, share: number, before: number) =>
      `${arrow} ${en.percent(share)} (${en.number(before)} before)`,
    sessionTime: 'Session time',
    mostVisited: 'Most visited',
    mostActive: 'Most active',
    showing: (shown: number, all: number) => `Showing ${en.number(shown)} of ${en.number(all)}.`,
    loading: (about: string, share: number, records: number) =>
      `Loading usage of *${about}*: ${en.percent(share)}, ${en.count(records, 'record', 'records')}`,
    by: {
      day: 'Usage by day',
      week: 'Usage by week',
      user: 'Usage by user',
    },
    together: {
      day: (n: number) => `Usage, ${en.number(n)} days together`,
      week: (n: number) => `Usage, ${en.number(n)} weeks together`,
      user: (_n: number) => 'Usage by user',
    },
    alternative: (about: string, last: string, total: number, people: number, change: string) =>
      `Chart of the usage of ${about} in the last ${en.period(last)}: ${uses.en(total)}, ${en.count(people, 'person', 'people')}, ${change}`,
    digestWeek: 'Usage last week',
    digestDay: 'Usage since yesterday',
    digestLine: (title: string, total: number, people: number, trend: string) =>
      `${title}: ${uses.en(total)} by ${en.count(people, 'person', 'people')}${trend}`,
  },
  de: {
    summary: 'Zeigt Besuche, Sitzungen, Personen und Trend; ohne Namen von allen eigenen Inhalten',
    options: { last: 'wie weit zurück', by: 'wonach gezählt wird', picture: 'ein Bild zum Weitergeben' },
    yourContent: 'Ihren Inhalten',
    ownNone: 'Sie haben keine eigenen Inhalte.',
    onlyCollaborators: (title) => `Die Nutzung von *${title}* sehen nur Mitarbeiter des Inhalts.`,
    uncounted: (title) =>
      `*${title}* ist eine API: Anfragen an sie sind weder Besuche noch Sitzungen und werden nicht gezählt.`,
    title: (about) => `Nutzung von ${about}`,
    period: (last) => `letzte ${de.period(last)}`,
    picture: 'Als Bild',
    text: (about, n, last) => `Nutzung von ${about}, letzte ${de.period(last)}: ${uses.de(n)}`,
    headline: (about, last) => `*Nutzung von ${about}*, letzte ${de.period(last)}`,
    comparedWith: 'Verglichen mit davor',
    noEarlier: 'keine früheren Daten',
    change: (arrow, share, before) => `${arrow} ${de.percent(share)} (davor ${de.number(before)})`,
    sessionTime: 'Sitzungsdauer',
    mostVisited: 'Am meisten besucht',
    mostActive: 'Am aktivsten',
    showing: (shown, all) => `${de.number(shown)} von ${de.number(all)} werden gezeigt.`,
    loading: (about, share, records) =>
      `Lade die Nutzung von *${about}*: ${de.percent(share)}, ${de.count(records, 'Eintrag', 'Einträge')}`,
    by: {
      day: 'Nutzung nach Tagen',
      week: 'Nutzung nach Wochen',
      user: 'Nutzung nach Personen',
    },
    together: {
      day: (n) => `Nutzung, je ${de.number(n)} Tage zusammen`,
      week: (n) => `Nutzung, je ${de.number(n)} Wochen zusammen`,
      user: () => 'Nutzung nach Personen',
    },
    alternative: (about, last, total, people, change) =>
      `Diagramm der Nutzung von ${about}, letzte ${de.period(last)}: ${uses.de(total)}, ${de.count(people, 'Person', 'Personen')}, ${change}`,
    digestWeek: 'Nutzung der letzten Woche',
    digestDay: 'Nutzung seit gestern',
    digestLine: (title, total, people, trend) =>
      `${title}: ${uses.de(total)} von ${de.count(people, 'Person', 'Personen')}${trend}`,
  },
});
