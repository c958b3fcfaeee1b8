// Finds what TeX lacked when a document was to become a PDF.
import { wording } from '../../client/failure-texts.ts';
import type { Finding, Lines } from './diagnosis.ts';
import { HINT_TEXTS } from './hint-texts.ts';

/** Of LaTeX itself, and of Quarto where the program itself is missing. */
const CAUSE = /^(?:! )?LaTeX Error: |^ERROR: Error executing \S*tex\b/;
/** Of Quarto: the next line is TeX's. */
const HEADING = /^compilation failed- /;
const PLACE = /^l\.\d+ /;

export function diagnoseTex(lines: Lines): Finding | null {
  const at = lines.findIndex((line, i) => CAUSE.test(line) || HEADING.test(lines[i - 1] ?? ''));
  if (at < 0) return null;
  const next = lines[at + 1] ?? '';
  const line = [lines[at]!, ...(PLACE.test(next) ? [next] : [])].map((one) => one.trim()).join(' ');
  return { line, index: at, kind: 'code', wording: wording(HINT_TEXTS.latex) };
}
