// All tools for language models. A new file needs only a row here: the manifest and the registration are generated from
// it.
import { inspect } from './inspect.ts';
import { publish } from './publish.ts';
import { readFailure } from './read-failure.ts';
import { rollBack } from './roll-back.ts';
import { setVariables } from './set-variables.ts';
import type { Tool } from './tool.ts';

/** By name without `pressroom_`; models depend on it. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  inspect,
  publish,
  read_failure: readFailure,
  set_variables: setVariables,
  roll_back: rollBack,
};
