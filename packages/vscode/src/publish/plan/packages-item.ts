// The row of a confirmation that writes the list of packages that content needs.
import type { DependencyReport } from '@pressroom/api/publish';
import { l10n, type QuickPickItem } from 'vscode';

export interface PackagesItem extends QuickPickItem {
  readonly does: 'packages';
}

/** Missing packages. */
export function packagesItem(report: DependencyReport | undefined): PackagesItem[] {
  if (report?.language !== 'Python' || (report.listedIn !== null && report.missing.length === 0)) return [];
  const names = report.missing.map((item) => item.package).join(', ');
  const label =
    report.listedIn === null
      ? l10n.t('$(lightbulb) Create requirements.txt')
      : l10n.t('$(lightbulb) Add missing packages to requirements.txt');
  const detail =
    report.listedIn === null
      ? l10n.t('The server installs the packages that are listed in it. Imported here: {0}', names || '–')
      : l10n.t('Imported here, but not listed: {0}', names);
  return [{ label, detail, alwaysShow: true, does: 'packages' }];
}
