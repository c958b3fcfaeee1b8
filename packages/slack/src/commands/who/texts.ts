// Texts of `who`, and its help.
import { bothLanguages } from '../../texts/both-languages.ts';
import { formatFor } from '../../texts/format.ts';

const en = formatFor('en');
const de = formatFor('de');

export const whoTexts = bothLanguages({
  en: {
    summary: 'Show who owns a content item and who can view or edit it',
    options: {},
    title: (title: string) => `Access to ${title}`,
    more: (n: number) => `And ${en.number(n)} more. The dashboard lists all of them.`,
    onlyCollaborators: 'Only collaborators can see the list of people and groups.',
    noList: 'This server does not list people and groups.',
    canEdit: 'Can edit',
    canView: 'Can view',
    group: (name: string) => `${name} (group)`,
  },
  de: {
    summary: 'Zeigt, wem ein Inhalt gehört und wer ihn ansehen oder bearbeiten darf',
    options: {},
    title: (title) => `Zugriff auf ${title}`,
    more: (n) => `Und ${de.number(n)} weitere. Das Dashboard zeigt alle.`,
    onlyCollaborators: 'Die Liste der Personen und Gruppen sehen nur Mitarbeiter des Inhalts.',
    noList: 'Dieser Server listet Personen und Gruppen nicht auf.',
    canEdit: 'Darf bearbeiten',
    canView: 'Darf ansehen',
    group: (name) => `${name} (Gruppe)`,
  },
});
