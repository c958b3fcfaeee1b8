// Buffer of Node.js, else of the package that browsers use.
import { Buffer as OfBrowsers } from 'buffer/index.js';

const chosen = globalThis.Buffer ?? OfBrowsers;
export { chosen as Buffer };
