// The version of all packages. `npm run version` writes it, here and in each package.json.
export const VERSION = '0.1.0';
