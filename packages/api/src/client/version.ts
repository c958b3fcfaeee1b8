// The version of all packages. Written by `npm run version`, here and in each package.json.
export const VERSION = '0.2.0';
