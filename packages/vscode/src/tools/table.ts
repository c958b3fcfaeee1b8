// Every tool for language models. A row is all that a new file here needs: the manifest and the registration are made from it.
import { inspect } from './inspect.ts';
import { publish } from './publish.ts';
import { readFailure } from './read-failure.ts';
import { rollBack } from './roll-back.ts';
import { setVariables } from './set-variables.ts';
import type { Tool } from './tool.ts';

/** By the name behind `pressroom_`; models keep to it. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  inspect,
  publish,
  read_failure: readFailure,
  set_variables: setVariables,
  roll_back: rollBack,
};
