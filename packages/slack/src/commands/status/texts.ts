// Texts of `status`, and its help.
import { bothLanguages } from '../../texts/both-languages.ts';
import { formatFor } from '../../texts/format.ts';

const en = formatFor('en');
const de = formatFor('de');

export const statusTexts = bothLanguages({
  en: {
    summary:
      'Show whether content is live and when it was last deployed; without a name, show the server and your content',
    options: {},
    live: 'Live',
    never: 'Never',
    bundles: (id: string, n: number) => `${id} (${en.count(n, 'bundle', 'bundles')})`,
    deploying: (bundle: string, since: string, task: string) =>
      `:hourglass_flowing_sand: Bundle ${bundle} has been deploying since ${since}${task}`,
    failed: (bundle: string, when: string, task: string, error: string) =>
      `:x: The last deploy (bundle ${bundle}, ${when}) failed${task}: ${error}`,
    draftFailed: (bundle: string, when: string, task: string, error: string) =>
      `:x: The draft of bundle ${bundle} failed ${when}${task}${error}`,
    draft: (bundle: string, who: string, when: string) =>
      `:pencil2: Bundle ${bundle} is ready as a draft, by ${who} ${when}`,
    cancelled: (bundle: string, when: string, task: string) =>
      `:no_entry_sign: The last deploy (bundle ${bundle}, ${when}) was cancelled${task}.`,
    interrupted: (bundle: string, when: string, task: string) =>
      `:warning: The last deploy (bundle ${bundle}, ${when}) was interrupted${task}.`,
    task: (task: string) => ` (task ${task})`,
    online: (server: string) => `${server} is online`,
    version: (version: string) => `, version ${version}`,
    notLinked: 'Your account is not linked.',
    signedIn: (who: string) => `Signed in as ${who}`,
    notPublished: 'not published',
  },
  de: {
    summary:
      'Zeigt, ob ein Inhalt live ist und wann er zuletzt veröffentlicht wurde; ohne Namen den Server und Ihre Inhalte',
    options: {},
    live: 'Live',
    never: 'Nie',
    bundles: (id, n) => `${id} (${de.count(n, 'Bundle', 'Bundles')})`,
    deploying: (bundle, since, task) =>
      `:hourglass_flowing_sand: Bundle ${bundle} wird seit ${since} veröffentlicht${task}`,
    failed: (bundle, when, task, error) =>
      `:x: Die letzte Veröffentlichung (Bundle ${bundle}, ${when}) ist fehlgeschlagen${task}: ${error}`,
    draftFailed: (bundle, when, task, error) =>
      `:x: Der Entwurf von Bundle ${bundle} ist fehlgeschlagen, ${when}${task}${error}`,
    draft: (bundle, who, when) => `:pencil2: Bundle ${bundle} ist als Entwurf bereit, von ${who}, ${when}`,
    cancelled: (bundle, when, task) =>
      `:no_entry_sign: Die letzte Veröffentlichung (Bundle ${bundle}, ${when}) wurde abgebrochen${task}.`,
    interrupted: (bundle, when, task) =>
      `:warning: Die letzte Veröffentlichung (Bundle ${bundle}, ${when}) wurde unterbrochen${task}.`,
    task: (task) => ` (Task ${task})`,
    online: (server) => `${server} ist erreichbar`,
    version: (version) => `, Version ${version}`,
    notLinked: 'Ihr Konto ist nicht verknüpft.',
    signedIn: (who) => `Angemeldet als ${who}`,
    notPublished: 'nicht veröffentlicht',
  },
});
