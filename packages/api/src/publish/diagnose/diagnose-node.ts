// Finds the cause in the output of Node.js: a package that package.json does not list.
import { wording } from '../../client/failure-texts.ts';
import { findLine, type Finding, type Lines } from './diagnosis.ts';
import { HINT_TEXTS } from './hint-texts.ts';

/** Packages, with or without a scope; paths begin with a dot or a slash. */
const MISSING =
  /^(?:Error(?: \[ERR_MODULE_NOT_FOUND\])?: )Cannot find (?:module|package) '((?:@[^'/]+\/)?[^'./@][^'/]*)/;

/** A file of the content, such as the one that the start script names. */
const MISSING_FILE = /^(?:Error(?: \[ERR_MODULE_NOT_FOUND\])?: )Cannot find module '(?:[^']*\/)?([^'/]+)'/;

export function diagnoseNode(lines: Lines): Finding | null {
  const found = findLine(lines, MISSING, 0);
  if (found === null) return missingFile(lines);
  const { index, match } = found;
  return {
    line: match.input,
    index,
    kind: 'missing-package',
    wording: wording(HINT_TEXTS.noNodePackage, match[1] ?? ''),
  };
}

function missingFile(lines: Lines): Finding | null {
  const found = findLine(lines, MISSING_FILE, 0);
  if (found === null) return null;
  const { index, match } = found;
  const remedy = wording(HINT_TEXTS.missingFile, match[1] ?? '');
  return { line: match.input, index, kind: 'missing-file', wording: remedy };
}
