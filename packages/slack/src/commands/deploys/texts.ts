// Texts of `deploys`, and its help.
import { bothLanguages } from '../../texts/both-languages.ts';
import { formatFor } from '../../texts/format.ts';

const en = formatFor('en');
const de = formatFor('de');

export const deploysTexts = bothLanguages({
  en: {
    summary: 'List the deploys of a content item, or of all content you can edit',
    options: { since: 'how far back' },
    allContent: 'all content',
    editable: 'content you can edit',
    title: (about: string) => `Deploys of ${about}`,
    headline: (about: string, since: string, n: number) =>
      `*Deploys of ${about}*, last ${en.period(since)}: ${en.number(n)}`,
    newest: (n: number) => `Only the newest ${en.number(n)} are shown.`,
    onlySome: (all: number, some: number) =>
      `Of ${en.number(all)} content items, only the ${en.number(some)} deployed last were looked at. Name one to see its deploys.`,
    states: {
      running: 'Running',
      succeeded: 'Succeeded',
      failed: 'Failed',
      cancelled: 'Cancelled',
      interrupted: 'Interrupted',
    },
    active: ', active',
    entry: (title: string, bundle: string) => `${title}: bundle ${bundle}`,
    uploaded: (title: string, bundle: string) => `${title}: bundle ${bundle} uploaded`,
  },
  de: {
    summary: 'Listet die Veröffentlichungen eines Inhalts auf, oder aller Inhalte, die Sie bearbeiten dürfen',
    options: { since: 'wie weit zurück' },
    allContent: 'allen Inhalten',
    editable: 'Inhalten, die Sie bearbeiten dürfen',
    title: (about) => `Veröffentlichungen von ${about}`,
    headline: (about, since, n) =>
      `*Veröffentlichungen von ${about}*, letzte ${de.period(since)}: ${de.number(n)}`,
    newest: (n) => `Nur die neuesten ${de.number(n)} werden gezeigt.`,
    onlySome: (all, some) =>
      `Von ${de.number(all)} Inhalten wurden nur die ${de.number(some)} zuletzt veröffentlichten angesehen. Nennen Sie einen, um seine Veröffentlichungen zu sehen.`,
    states: {
      running: 'Läuft',
      succeeded: 'Gelungen',
      failed: 'Fehlgeschlagen',
      cancelled: 'Abgebrochen',
      interrupted: 'Unterbrochen',
    },
    active: ', aktiv',
    entry: (title, bundle) => `${title}: Bundle ${bundle}`,
    uploaded: (title, bundle) => `${title}: Bundle ${bundle} hochgeladen`,
  },
});
