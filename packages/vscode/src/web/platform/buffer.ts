// Node.js's Buffer, otherwise a package for browsers.
import { Buffer as OfBrowsers } from 'buffer/index.js';

const chosen = globalThis.Buffer ?? OfBrowsers;
export { chosen as Buffer };
