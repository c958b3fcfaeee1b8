// What asks the browser for a passkey: on the sign-in page and in the dashboard. The build puts it beside its bundle.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const PASSKEY_SCRIPT = readFileSync(join(import.meta.dirname, 'passkey.js'), 'utf8');
