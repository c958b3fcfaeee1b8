// Texts of `deploy`, and its help.
import { bothLanguages } from '../../texts/both-languages.ts';

export const deployTexts = bothLanguages({
  en: {
    summary: 'Deploy the active bundle again, or another one; the channel shows the progress',
    options: {
      bundle: 'the bundle to deploy',
      task: 'the deploy that got its draft or canary ready; refused if that has ended',
    },
    started: (title: string, task: string, where: string) => `Deploying *${title}* (task ${task}). ${where}`,
    theDeploy: 'the deploy',
    theRedeploy: 'the redeploy',
    theRollback: (bundle: string) => `the rollback to bundle ${bundle}`,
    already: (who: string, what: string, task: string | null) =>
      `${who} already started ${what}${task === null ? '' : ` (task ${task})`}.`,
    youAlready: (what: string, task: string | null) =>
      `You already started ${what}${task === null ? '' : ` (task ${task})`}.`,
    startedOnce: (what: string, title: string, task: string, where: string) =>
      `Started ${what} of *${title}* (task ${task}). ${where}`,
    maybeStarted: (what: string, title: string, command: string) =>
      `:warning: The content server did not respond, so it is not known whether ${what} of *${title}* started. Check \`${command} deploys\` in a minute, before you try again.`,
    channelShows: 'The channel shows the progress.',
    directShows: 'Your direct messages show the progress.',
    notInChannel: (mention: string) =>
      `The bot is not in this channel, so your direct messages show the progress. To change that, invite it with \`/invite ${mention}\`.`,
  },
  de: {
    summary:
      'Veröffentlicht das aktive Bundle noch einmal, oder ein anderes; der Kanal zeigt den Fortschritt',
    options: {
      bundle: 'das Bundle',
      task: 'der Task, der seinen Entwurf oder Canary bereitgestellt hat; ist dieser beendet, geht nichts live',
    },
    started: (title, task, where) => `*${title}* wird veröffentlicht (Task ${task}). ${where}`,
    theDeploy: 'das Veröffentlichen',
    theRedeploy: 'das erneute Veröffentlichen',
    theRollback: (bundle) => `das Zurücksetzen auf Bundle ${bundle}`,
    already: (who, what, task) =>
      `${who} hat ${what} schon gestartet${task === null ? '' : ` (Task ${task})`}.`,
    youAlready: (what, task) => `Sie haben ${what} schon gestartet${task === null ? '' : ` (Task ${task})`}.`,
    startedOnce: (what, title, task, where) => `*${title}*: ${what} ist gestartet (Task ${task}). ${where}`,
    maybeStarted: (what, title, command) =>
      `:warning: Der Content-Server hat nicht geantwortet. Deshalb ist nicht bekannt, ob ${what} von *${title}* begonnen hat. Prüfen Sie das in einer Minute mit \`${command} deploys\`, bevor Sie es noch einmal versuchen.`,
    channelShows: 'Der Kanal zeigt den Fortschritt.',
    directShows: 'Ihre Direktnachrichten zeigen den Fortschritt.',
    notInChannel: (mention) =>
      `Der Bot ist nicht in diesem Kanal, deshalb zeigen Ihre Direktnachrichten den Fortschritt. Um das zu ändern, laden Sie ihn mit \`/invite ${mention}\` ein.`,
  },
});
