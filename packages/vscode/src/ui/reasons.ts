// Why a path is not in a bundle, in the language of the editor. The reasons come from the API's rules of collecting.
import { l10n } from 'vscode';

/** A reason that is not known here, such as one of another version, is shown as it is. */
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
    default:
      return reason;
  }
}
