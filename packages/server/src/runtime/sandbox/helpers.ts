// Scripts of ours by which content runs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const sources = join(import.meta.dirname, '../kinds');

/** Their directory: with all of them below it, or in the output of npm run build, next to the server. */
export const HELPERS = existsSync(sources) ? join(sources, '..') : import.meta.dirname;
