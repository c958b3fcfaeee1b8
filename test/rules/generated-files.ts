// Every file that is made from the contract, the settings or the command line, with its text.
import { apiPage, openApi, typesPage } from '@pressroom/api/contract';
import { settingsPage } from '@pressroom/server/settings-page';
import { COMMANDS } from '../../packages/cli/src/commands/index.ts';
import { manPage } from '../../packages/cli/src/help/man-page.ts';

/** Paths are relative to the repository. */
export function generatedFiles(): Record<string, string> {
  return {
    'docs/reference/api.md': apiPage(),
    'docs/reference/openapi.json': `${JSON.stringify(openApi(), null, 2)}\n`,
    'docs/reference/settings.md': settingsPage(),
    'docs/reference/types.md': typesPage(),
    'packages/cli/man/pressroom.1': manPage(COMMANDS),
  };
}
