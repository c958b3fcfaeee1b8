// Texts of `rollback`, and its help.
import { bothLanguages } from '../../texts/both-languages.ts';

export const rollbackTexts = bothLanguages({
  en: {
    summary: 'Go back to the last bundle that worked, or to another one, after you confirm',
    options: { bundle: 'the bundle to go back to' },
    question: (title: string) => `Roll back ${title}?`,
    ask: (title: string, from: string, to: string) => `Roll back *${title}* from ${from} to ${to}?`,
    noBundle: 'no bundle',
    bundle: (id: string) => `bundle ${id}`,
    target: (id: string, outcome: string, isDeployed: boolean, when: string) =>
      `bundle ${id} (${outcome}, ${isDeployed ? 'last deployed' : 'uploaded'} ${when})`,
    option: (id: string, outcome: string) => `Bundle ${id}: ${outcome}`,
    to: (live: string, title: string) => `${live} Roll back *${title}* to:`,
    lastGood: (id: string, when: string) => `Bundle ${id} is the last one that worked, deployed ${when}.`,
    remark: 'The deploy runs with your account, and the channel shows the progress.',
    outcomes: {
      succeeded: 'worked',
      failed: 'failed to deploy',
      cancelled: 'deploy cancelled',
      interrupted: 'deploy interrupted',
      running: 'is being deployed',
      none: 'outcome not known',
    },
    live: (id: string) => `Bundle ${id} is live.`,
    noneLive: 'No bundle is live.',
    looking: 'Looking for the bundle to go back to…',
    nothing: (live: string) => `This deploy did not go live, so there is nothing to roll back. ${live}`,
    another: (live: string) =>
      `Nothing was rolled back: what is live has changed since the question. ${live} Ask again.`,
    isLive: (bundle: string, title: string) => `Bundle ${bundle} of *${title}* is live already.`,
    noPrevious: (title: string) => `*${title}* has no previous bundle.`,
    noneWorked: (title: string, line: string) =>
      `No earlier bundle of *${title}* has worked. To deploy one all the same, name it: \`${line}\`.`,
  },
  de: {
    summary:
      'Setzt auf das letzte Bundle zurück, das funktioniert hat, oder auf ein anderes; Sie bestätigen vorher',
    options: { bundle: 'das Bundle, auf das zurückgesetzt wird' },
    question: (title) => `${title} zurücksetzen?`,
    ask: (title, from, to) => `*${title}* von ${from} auf ${to} zurücksetzen?`,
    noBundle: 'keinem Bundle',
    bundle: (id) => `Bundle ${id}`,
    target: (id, outcome, isDeployed, when) =>
      `Bundle ${id} (${outcome}, ${isDeployed ? 'zuletzt veröffentlicht' : 'hochgeladen'} ${when})`,
    option: (id, outcome) => `Bundle ${id}: ${outcome}`,
    to: (live, title) => `${live} *${title}* zurücksetzen auf:`,
    lastGood: (id, when) => `Bundle ${id} ist das letzte, das funktioniert hat, veröffentlicht ${when}.`,
    remark: 'Veröffentlicht wird mit Ihrem Konto, und der Kanal zeigt den Fortschritt.',
    outcomes: {
      succeeded: 'hat funktioniert',
      failed: 'ist fehlgeschlagen',
      cancelled: 'wurde abgebrochen',
      interrupted: 'wurde unterbrochen',
      running: 'wird veröffentlicht',
      none: 'Ergebnis nicht bekannt',
    },
    live: (id) => `Bundle ${id} ist live.`,
    noneLive: 'Kein Bundle ist live.',
    looking: 'Suche das Bundle, auf das zurückgesetzt wird …',
    nothing: (live) =>
      `Diese Veröffentlichung ist nicht live gegangen, also gibt es nichts zurückzusetzen. ${live}`,
    another: (live) =>
      `Nichts wurde zurückgesetzt: seit der Frage ist ein anderer Stand live. ${live} Fragen Sie noch einmal.`,
    isLive: (bundle, title) => `Bundle ${bundle} von *${title}* ist schon live.`,
    noPrevious: (title) => `*${title}* hat kein vorheriges Bundle.`,
    noneWorked: (title, line) =>
      `Kein früheres Bundle von *${title}* hat funktioniert. Um trotzdem eines zu veröffentlichen, nennen Sie es: \`${line}\`.`,
  },
});
