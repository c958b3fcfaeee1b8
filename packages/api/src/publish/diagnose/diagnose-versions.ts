// Finds version mismatches of R or Python in a log: a hint if nothing better is known.
import { wording, type Wording } from '../../client/failure-texts.ts';
import type { Lines } from './diagnosis.ts';
import { HINT_TEXTS } from './hint-texts.ts';

const ANOTHER =
  /Bundle requested (R|Python) version (\d+(?:\.\d+)*)\S*; using \S+ which has version (\d+(?:\.\d+)*)/;
const MISSING =
  /\b(R|Python)(?: version)? v?(\d+\.\d+(?:\.\d+)*)\b.{0,60}\bnot (?:installed|available|found)\b/;

/** A remedy, or undefined if versions agree in their first two numbers. */
export function versionHint(lines: Lines): Wording | undefined {
  for (const line of lines) {
    const [, language, wanted = '', found = ''] = ANOTHER.exec(line) ?? [];
    if (language !== undefined && minor(wanted) !== minor(found)) {
      return wording(HINT_TEXTS.otherVersion, language, wanted, found);
    }
    const [, absent, version] = MISSING.exec(line) ?? [];
    if (absent !== undefined) return wording(HINT_TEXTS.noVersion, absent, version!);
  }
  return undefined;
}

const minor = (version: string) => version.split('.').slice(0, 2).join('.');
