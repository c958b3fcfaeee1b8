// Where the parts of a content item are that links of other clients name, such as those of `dashboard_url()` of connectapi.
import { sectionId } from './parts.ts';

/** Paths below the page of a content item; other parts are on that page itself. */
const PANES: ReadonlyMap<string, string> = new Map([
  ['history', '/bundles'],
  ['runtime', `/settings#${sectionId('Processes')}`],
  ['schedule', `/settings#${sectionId('Schedule')}`],
  ['sharing', '/access'],
  ['source', '/bundles'],
  ['tags', `/settings#${sectionId('Tags')}`],
  ['vars', `/settings#${sectionId('Environment variables')}`],
]);

/** @returns a path of the dashboard */
export function pathOfPane(guid: string, pane: string): string {
  return `/content/${encodeURIComponent(guid)}${PANES.get(pane) ?? ''}`;
}
