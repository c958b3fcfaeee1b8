// Finds version mismatches of R or Python in a log: a hint if nothing better is known.
import type { Lines } from './diagnosis.ts';

const ANOTHER =
  /Bundle requested (R|Python) version (\d+(?:\.\d+)*)\S*; using \S+ which has version (\d+(?:\.\d+)*)/;
const MISSING =
  /\b(R|Python)(?: version)? v?(\d+\.\d+(?:\.\d+)*)\b.{0,60}\bnot (?:installed|available|found)\b/;

/** A remedy, or undefined if versions agree in their first two numbers. */
export function versionHint(lines: Lines): string | undefined {
  for (const line of lines) {
    const [, language, wanted = '', found = ''] = ANOTHER.exec(line) ?? [];
    if (language !== undefined && minor(wanted) !== minor(found)) {
      return `It was created with ${language} ${wanted} but runs on ${found}: publish with a version that the server has.`;
    }
    const [, absent, version] = MISSING.exec(line) ?? [];
    if (absent !== undefined)
      return `The server has no ${absent} ${version}: publish with a version that it has.`;
  }
  return undefined;
}

const minor = (version: string) => version.split('.').slice(0, 2).join('.');
