// How programs are bundled by esbuild: those that ship (esbuild.config.mjs), and those that tests start (build-for-tests.mjs).
import { copyFileSync, globSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

export const SHARED = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  // Dependencies in CommonJS look for require().
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
};

/** Of the client of container engines: its ways over SSH, and to build images. They look for files beside their sources. */
const UNUSED = Object.fromEntries(
  ['ssh2', '@grpc/grpc-js', '@grpc/proto-loader', 'protobufjs'].map((name) => [
    name,
    join(ROOT, 'packages/server/packaging/unused.cjs'),
  ]),
);

export const OF_SERVER = {
  target: 'node24',
  // Programs share what they have in common, and who runs as root and only starts what serves need not read that.
  splitting: true,
  outExtension: { '.js': '.mjs' },
  entryNames: '[name]',
  external: ['pg-native'],
  alias: UNUSED,
};

/** Threads of the server: they are started from files of their own. */
export const THREADS = [
  'packages/server/src/mailing/compose-thread.ts',
  'packages/server/src/sign-in/providers/saml/validate-thread.ts',
];

/** What the server hands to R, Python and browsers: beside it, where it looks for that. */
export function copyHelpers(directory) {
  for (const file of globSync('packages/server/src/**/*.{R,py,sh,js,cjs,css}', { cwd: ROOT }))
    copyFileSync(join(ROOT, file), join(directory, basename(file)));
}
