// Numbers, times and content types for display.
import { engineOf, kindLabel, type ContentLinks } from '@pressroom/api/contract';
import { RECENT_DAYS, type RecentUse } from '@pressroom/api/usage';
import { env, l10n } from 'vscode';

/** Empty for a size that a server leaves out. */
export function sizeText(bytes: number): string {
  if (!Number.isFinite(bytes)) return '';
  if (bytes < 1000) return l10n.t('{0} bytes', bytes);
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function countText(files: number): string {
  return files === 1 ? l10n.t('1 file') : l10n.t('{0} files', files);
}

/** Number and size of files. */
export function amountText({ count, bytes }: { readonly count: number; readonly bytes: number }): string {
  return `${countText(count)}, ${sizeText(bytes)}`;
}

export function usedText({ people, total }: RecentUse): string {
  if (total === 0) return l10n.t('Nobody used it in the last {0} days.', RECENT_DAYS);
  return l10n.t('In the last {0} days: people {1}, visits and sessions {2}.', RECENT_DAYS, people, total);
}

/** Maximum named items; the others are counted. */
const LINKING_NAMED = 5;

/** Links to content; empty without any. */
export function linksText({ results, total }: ContentLinks): string {
  const names = results.slice(0, LINKING_NAMED).map((item) => item.content_title || item.content_name);
  const others = total - names.length;
  if (total === 0) return '';
  if (names.length === 0) return l10n.t('Other content that links to it: {0}.', others);
  const list = names.join(', ');
  return others > 0
    ? l10n.t('Content that links to it: {0}, and {1} more.', list, others)
    : l10n.t('Content that links to it: {0}.', list);
}

/** German names are in the table of kinds, too. */
export function typeText(appmode: string): string {
  return kindLabel(appmode, env.language.startsWith('de') ? 'de' : 'en');
}

/** Empty for no time. @param time ISO 8601 @param now milliseconds since the epoch */
export function agoText(time: string, now: number): string {
  const minutes = Math.round((now - Date.parse(time)) / 60_000);
  if (Number.isNaN(minutes)) return '';
  if (minutes < 1) return l10n.t('just now');
  if (minutes < 60) return l10n.t('{0} min ago', minutes);
  if (minutes < 60 * 24) return l10n.t('{0} h ago', Math.round(minutes / 60));
  return new Date(time).toLocaleDateString();
}

export function hostOf(server: string): string {
  return server.replace(/^https?:\/\//, '');
}

/** For conditions of menus: how content is served; empty if unknown. */
export function engineMark(appMode = ''): string {
  const engine = engineOf(appMode);
  return engine === undefined ? '' : `.${engine}`;
}
