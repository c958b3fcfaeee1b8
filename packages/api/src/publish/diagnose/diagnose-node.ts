// Finds the cause in the output of Node.js: a package that package.json does not list.
import { wording } from '../../client/failure-texts.ts';
import { findLine, type Finding, type Lines } from './diagnosis.ts';
import { HINT_TEXTS } from './hint-texts.ts';

/** Packages, with or without a scope; paths begin with a dot or a slash. */
const MISSING =
  /^(?:Error(?: \[ERR_MODULE_NOT_FOUND\])?: )Cannot find (?:module|package) '((?:@[^'/]+\/)?[^'./@][^'/]*)/;

export function diagnoseNode(lines: Lines): Finding | null {
  const found = findLine(lines, MISSING, 0);
  if (found === null) return null;
  const { index, match } = found;
  return {
    line: match.input,
    index,
    kind: 'missing-package',
    wording: wording(HINT_TEXTS.noNodePackage, match[1] ?? ''),
  };
}
