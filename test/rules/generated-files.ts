// Every file that is made from the contract or the settings, with its text.
import { apiPage, openApi } from '@pressroom/api/contract';
import { settingsPage } from '@pressroom/server/settings-page';

/** Paths are relative to the repository. */
export function generatedFiles(): Record<string, string> {
  return {
    'docs/reference/api.md': apiPage(),
    'docs/reference/openapi.json': `${JSON.stringify(openApi(), null, 2)}\n`,
    'docs/reference/settings.md': settingsPage(),
  };
}
