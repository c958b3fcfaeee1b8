// The passkey script of the sign-in page and the dashboard. The build copies it next to its bundle.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const PASSKEY_SCRIPT = readFileSync(join(import.meta.dirname, 'passkey.js'), 'utf8');
