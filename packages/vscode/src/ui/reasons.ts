// Why a path is excluded from a bundle, and why a directory has a detected type, in the language of the editor. The
// reasons come from the API core.
import type { ContentCandidate } from '@pressroom/api/publish';
import { l10n } from 'vscode';
import { typeText } from './texts.ts';

/** Unknown reasons, for example of another version, are shown unchanged. */
export function reasonText(reason: string): string {
  switch (reason) {
    case 'version control data':
      return l10n.t('version control data');
    case 'an R package library; the server installs packages from the manifest':
      return l10n.t('an R package library; the server installs packages from the manifest');
    case 'JavaScript packages; they are not run on the server':
      return l10n.t('JavaScript packages; they are not run on the server');
    case 'a Python environment; the server builds its own from requirements.txt':
      return l10n.t('a Python environment; the server builds its own from requirements.txt');
    case 'a cache':
      return l10n.t('a cache');
    case 'a record of a local session':
      return l10n.t('a record of a local session');
    case 'a record of earlier deployments':
      return l10n.t('a record of earlier deployments');
    case 'settings of an editor':
      return l10n.t('settings of an editor');
    case 'it may hold secrets; set variables on the server instead':
      return l10n.t('it may hold secrets; set variables on the server instead');
    case 'a desktop leftover':
      return l10n.t('a desktop leftover');
    case 'rules for publishing, not content':
      return l10n.t('rules for publishing, not content');
    case 'left out by an ignore file':
      return l10n.t('left out by an ignore file');
    case 'left out by an exclude pattern':
      return l10n.t('left out by an exclude pattern');
    case 'manifest.json does not list it':
      return l10n.t('manifest.json does not list it');
    default:
      return reason;
  }
}

/** Why a directory has its detected type. */
export function whyText({ reason: { code, args } }: Pick<ContentCandidate, 'reason'>): string {
  const [first = '', second = '', appmode = '', entrypoint = ''] = args;
  switch (code) {
    case 'chosen':
      return l10n.t('You chose this type or entry point.');
    case 'manifest':
      return l10n.t('manifest.json already describes this directory: {0}.', typeText(first));
    case 'page':
      return l10n.t('{0} is a page that is served as it is.', first);
    case 'pin':
      return l10n.t('{0} with data.txt is a pinned object, served as it is.', first);
    case 'file':
      return l10n.t('{0}: {1}.', first, typeText(second));
    case 'start-script':
      return l10n.t('{0} starts it with "{1}", so it is a Node.js application.', first, second);
    case 'command':
      return l10n.t('{0} says how it is started: {1}.', first, second);
    case 'makes':
      return l10n.t(
        '{0} makes an application named {1}: {2} ({3}).',
        first,
        second,
        typeText(appmode),
        entrypoint,
      );
    case 'imports':
      return l10n.t(
        '{0} is an application by what it imports: {1} ({2}).',
        first,
        typeText(appmode),
        entrypoint,
      );
    case 'django':
      return l10n.t('manage.py names the settings {0}, so it is a Django application ({1}).', first, second);
    case 'shiny':
      return l10n.t('{0} is a Shiny application: it uses the shiny package.', first);
    case 'shiny-unsure':
      return l10n.t(
        '{0} is where a Shiny application would be, but it does not mention the shiny package.',
        first,
      );
    case 'shiny-two-files':
      return l10n.t('{0} and {1} make a Shiny application.', first, second);
    case 'plumber-annotations':
      return l10n.t('{0} has Plumber annotations (such as #* @get), so it is an API.', first);
    case 'plumber-router':
      return l10n.t('{0} builds a Plumber router, so it is an API.', first);
    case 'interactive-document':
      return l10n.t('{0} is an interactive R Markdown document (its front matter asks for Shiny).', first);
    case 'site':
      return l10n.t('{0} with {1} makes an R Markdown site.', first, second);
    case 'document':
      return l10n.t('{0} is an R Markdown document that the server renders.', first);
    case 'document-with-parameters':
      return l10n.t('{0} is an R Markdown document that the server renders. It takes parameters.', first);
  }
}
