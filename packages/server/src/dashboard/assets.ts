// The style sheet and the script of the pages; the build puts both beside its bundle.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ASSETS: readonly (readonly [name: string, type: string, text: Buffer])[] = [
  ['dashboard.css', 'text/css; charset=utf-8', read('dashboard.css')],
  ['dashboard.js', 'text/javascript; charset=utf-8', read('dashboard.js')],
  ['passkey.js', 'text/javascript; charset=utf-8', read('passkey.js')],
];

/** What asks the browser for a passkey: on the sign-in page, too. */
export const PASSKEY_SCRIPT = read('passkey.js').toString();

function read(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, name));
}
