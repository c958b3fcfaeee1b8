// Numbers, times and kinds of content as people read them.
import type { KindName } from '@pressroom/api/contract';
import { l10n } from 'vscode';

export function sizeText(bytes: number): string {
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

/** Of each kind in the table: the compiler refuses a forgotten one. */
const TYPES: Readonly<Record<KindName, () => string>> = {
  static: () => l10n.t('Web page'),
  'rmd-static': () => l10n.t('R Markdown document'),
  'rmd-shiny': () => l10n.t('Interactive R Markdown document'),
  shiny: () => l10n.t('Shiny application'),
  api: () => l10n.t('Plumber API'),
  'jupyter-static': () => l10n.t('Jupyter notebook'),
  'python-api': () => l10n.t('Python API'),
  'python-fastapi': () => l10n.t('FastAPI application'),
  'tensorflow-saved-model': () => l10n.t('TensorFlow model'),
};

export function typeText(appmode: string): string {
  return Object.hasOwn(TYPES, appmode) ? TYPES[appmode as KindName]() : appmode;
}

/** @param time ISO 8601 @param now milliseconds since the epoch */
export function agoText(time: string, now: number): string {
  const minutes = Math.round((now - Date.parse(time)) / 60_000);
  if (minutes < 1) return l10n.t('just now');
  if (minutes < 60) return l10n.t('{0} min ago', minutes);
  if (minutes < 60 * 24) return l10n.t('{0} h ago', Math.round(minutes / 60));
  return new Date(time).toLocaleDateString();
}

export function hostOf(server: string): string {
  return server.replace(/^https?:\/\//, '');
}
