// Everything, until the other packages import from the rooms (codemod-subpaths.mjs writes the small one).
export * from './contract/index.ts';
export * from './client/index.ts';
export * from './publish/index.ts';
export * from './sign-in/index.ts';
export * from './usage/index.ts';
