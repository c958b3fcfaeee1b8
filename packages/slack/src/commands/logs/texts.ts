// Texts of `logs`, and its help.
import { bothLanguages } from '../../texts/both-languages.ts';
import { formatFor } from '../../texts/format.ts';

const en = formatFor('en');
const de = formatFor('de');

export const logsTexts = bothLanguages({
  en: {
    summary:
      'Show the output of the last deploy or rendering, or of a task; --follow posts a live message in the channel',
    options: { follow: 'show the progress in the channel until it ends' },
    running: 'is still running',
    succeeded: 'succeeded',
    failed: (code: number) => `failed with code ${code}`,
    cancelled: 'was cancelled',
    interrupted: 'was interrupted',
    text: (task: string, state: string) => `Task ${task} ${state}`,
    headline: (title: string, task: string, state: string, n: number) =>
      `*${title}*: task ${task} ${state}, ${en.count(n, 'line', 'lines')}`,
    noTask: 'There is no task with this ID either. The server keeps tasks for a limited time.',
    noDeploy: (title: string) => `No deploy of *${title}* was found.`,
    unknownContent: (task: string) =>
      `The content of task ${task} is not known. Type the name of the content instead.`,
    followedBy: (who: string) => `somebody (followed by ${who})`,
    unknownTask: 'The log of this deploy is not available, because its task is not known.',
    sent: (task: string) => `The full log of task ${task} is in your direct messages.`,
  },
  de: {
    summary:
      'Zeigt die Ausgabe der letzten Veröffentlichung oder Erstellung oder eines Tasks; --follow zeigt sie fortlaufend im Kanal',
    options: { follow: 'zeigt den Fortschritt im Kanal bis zum Ende' },
    running: 'läuft noch',
    succeeded: 'ist gelungen',
    failed: (code) => `ist mit Code ${code} fehlgeschlagen`,
    cancelled: 'wurde abgebrochen',
    interrupted: 'wurde unterbrochen',
    text: (task, state) => `Task ${task} ${state}`,
    headline: (title, task, state, n) =>
      `*${title}*: Task ${task} ${state}, ${de.count(n, 'Zeile', 'Zeilen')}`,
    noTask: 'Auch einen Task mit dieser ID gibt es nicht. Der Server behält Tasks begrenzte Zeit.',
    noDeploy: (title) => `Zu *${title}* wurde keine Veröffentlichung gefunden.`,
    unknownContent: (task) =>
      `Der Inhalt von Task ${task} ist nicht bekannt. Geben Sie stattdessen den Namen des Inhalts ein.`,
    followedBy: (who) => `jemandem (verfolgt von ${who})`,
    unknownTask:
      'Das Protokoll ist nicht verfügbar, weil der Task dieser Veröffentlichung nicht bekannt ist.',
    sent: (task) => `Das ganze Protokoll von Task ${task} steht in Ihren Direktnachrichten.`,
  },
});
