// Texts of `audit`, and its help.
import { bothLanguages } from '../../texts/both-languages.ts';
import { formatFor } from '../../texts/format.ts';

const en = formatFor('en');
const de = formatFor('de');

export const auditTexts = bothLanguages({
  en: {
    summary: 'Show the audit log of the server; for administrators',
    options: { user: 'only what this person did', last: 'how far back' },
    onlyAdministrators: 'Only administrators can read the audit log.',
    title: (whose: string, last: string) =>
      `Audit log${whose === '' ? '' : ` of ${whose}`}, last ${en.period(last)}`,
    headline: (whose: string, last: string, n: number, more: boolean) =>
      `*Audit log*${whose === '' ? '' : ` of ${whose}`}, last ${en.period(last)}: ${more ? 'the newest ' : ''}${en.count(n, 'entry', 'entries')}, newest first${more ? '. There are more in the dashboard.' : ''}`,
  },
  de: {
    summary: 'Zeigt das Audit-Log des Servers; für Administratoren',
    options: { user: 'nur, was diese Person getan hat', last: 'wie weit zurück' },
    onlyAdministrators: 'Nur Administratoren dürfen das Audit-Log lesen.',
    title: (whose, last) => `Audit-Log${whose === '' ? '' : ` von ${whose}`}, letzte ${de.period(last)}`,
    headline: (whose, last, n, more) =>
      `*Audit-Log*${whose === '' ? '' : ` von ${whose}`}, letzte ${de.period(last)}: ${more ? 'die neuesten ' : ''}${de.count(n, 'Eintrag', 'Einträge')}, neueste zuerst${more ? '. Weitere stehen im Dashboard.' : ''}`,
  },
});
