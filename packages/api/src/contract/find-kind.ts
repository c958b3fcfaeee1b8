// Finds kinds of content and their labels, by the manifest's appmode or by app_mode.
import { type Engine, GERMAN_NOUNS, type KindRow, type LabelLanguage } from './kind-row.ts';
import { KINDS } from './kinds.ts';

export interface ContentKind extends KindRow {
  readonly appmode: string;
}

/** The rows, in table order. */
export const kinds: readonly ContentKind[] = Object.entries<KindRow>(KINDS).map(([appmode, row]) => ({
  appmode,
  ...row,
}));

/** The kind of a manifest's appmode; undefined if this version does not know it. */
export function findKind(appmode: string): ContentKind | undefined {
  return kinds.find((kind) => kind.appmode === appmode);
}

/** Display name of a manifest's appmode; the appmode itself if unknown. */
export function kindLabel(appmode: string, language: LabelLanguage = 'en'): string {
  const kind = findKind(appmode);
  return kind === undefined ? appmode : labelOf(kind, language);
}

const labelOf = ({ label, german }: KindRow, language: LabelLanguage): string =>
  language === 'de' ? german : label;

/**
 * The kinds of an app_mode: the contract's does not distinguish APIs in R and in Python, the GA form's does for Python.
 */
export function kindsOf(appMode: string): readonly ContentKind[] {
  const sharing = kinds.filter((kind) => kind.app_mode === appMode && !kind.isNearest);
  return sharing.length > 0 ? sharing : kinds.filter((kind) => kind.appmode === appMode);
}

/** Display name of an app_mode: the label of its only kind, or the common noun of its kinds. */
export function appModeLabel(appMode: string, language: LabelLanguage = 'en'): string {
  const [first, ...others] = kindsOf(appMode);
  if (first === undefined) return appMode;
  if (others.length === 0) return labelOf(first, language);
  return language === 'de' ? GERMAN_NOUNS[first.noun] : first.noun;
}

/** How content of an app_mode is served; undefined before the first deploy. */
export function engineOf(appMode: string): Engine | undefined {
  return kindsOf(appMode)[0]?.engine;
}

/** Whether visits or sessions of this kind are counted: not for APIs. */
export function isUseCounted({ engine, sessions = false, countsVisits }: ContentKind): boolean {
  return engine !== 'application' || sessions || countsVisits === true;
}

/** Whether usage of an app_mode is counted; true before the first deploy. */
export function countsUse(appMode: string): boolean {
  return kindsOf(appMode).every(isUseCounted);
}
