// Every file that is made from the contract, with its text.
import { openApi } from '../openapi.ts';
import { apiPage } from './api-page.ts';

/** Paths are relative to the repository. */
export function generatedFiles(): Record<string, string> {
  return {
    'docs/api.md': apiPage(),
    'docs/openapi.json': `${JSON.stringify(openApi(), null, 2)}\n`,
  };
}
