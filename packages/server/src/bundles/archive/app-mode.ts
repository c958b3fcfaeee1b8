// From the manifest's appmode to the app_mode of the contract (section 2, Content).
import { badManifest, quoteName } from './refusals.ts';

/** The app_mode values a deployed bundle can have. */
export type WireAppMode =
  'static' | 'rmd-static' | 'jupyter-static' | 'shiny' | 'rmd-shiny' | 'api' | 'tensorflow-saved-model';

const WIRE_APP_MODES: ReadonlyMap<string, WireAppMode> = new Map<string, WireAppMode>([
  ['static', 'static'],
  ['rmd-static', 'rmd-static'],
  ['jupyter-static', 'jupyter-static'],
  ['shiny', 'shiny'],
  ['rmd-shiny', 'rmd-shiny'],
  ['api', 'api'],
  // The contract has no own value for Python APIs; which engine runs them is the server's affair.
  ['python-api', 'api'],
  ['python-fastapi', 'api'],
  ['tensorflow-saved-model', 'tensorflow-saved-model'],
]);

/**
 * The contract's app_mode for a manifest's appmode.
 * @throws ApiError 38 naming an appmode that this server does not know.
 */
export function wireAppMode(appmode: string): WireAppMode {
  const mode = WIRE_APP_MODES.get(appmode);
  if (mode === undefined) throw badManifest(`appmode ${quoteName(appmode)} is not supported by this server`);
  return mode;
}
