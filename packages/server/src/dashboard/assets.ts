// The style sheet and scripts of the pages; the build copies them next to its bundle.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASSKEY_SCRIPT } from '../sign-in/second-factors/passkey-script.ts';

export const ASSETS: readonly (readonly [name: string, type: string, text: Buffer])[] = [
  ['dashboard.css', 'text/css; charset=utf-8', read('dashboard.css')],
  ['dashboard.js', 'text/javascript; charset=utf-8', read('dashboard.js')],
  ['publish.js', 'text/javascript; charset=utf-8', read('publish.js')],
  ['passkey.js', 'text/javascript; charset=utf-8', Buffer.from(PASSKEY_SCRIPT)],
];

function read(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, name));
}
