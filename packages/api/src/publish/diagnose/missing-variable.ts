// Tells an environment variable that is not set from other missing keys.
import { wording, type Wording } from '../../client/failure-texts.ts';
import { findLine, type Finding, type Lines } from './diagnosis.ts';
import { HINT_TEXTS } from './hint-texts.ts';

/** `os.environ["KEY"]` raises its KeyError in a file of Python itself. */
const ENVIRON = /(?:<frozen os>|\/os\.py)"?(?:, line |:)\d+, in .*__getitem__/;
/** IPython shows the lines of the function. */
const REACH = 12;

export function missingVariable(lines: Lines, { line, index }: Finding): Wording | undefined {
  const variable = /^KeyError: '(\w+)'/.exec(line)?.[1];
  if (variable === undefined || findLine(lines, ENVIRON, index - REACH, REACH) === null) return undefined;
  return wording(HINT_TEXTS.variable, variable);
}
