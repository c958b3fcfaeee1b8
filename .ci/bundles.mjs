// esbuild options of programs: those that ship (esbuild.config.mjs), and those that tests start (build-for-tests.mjs).
import { copyFileSync, globSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

export const SHARED = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  // CommonJS dependencies need require().
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
};

/**
 * Unused parts of the container engine client: SSH transport and image builds. They read files next to their sources.
 */
const UNUSED = Object.fromEntries(
  ['ssh2', '@grpc/grpc-js', '@grpc/proto-loader', 'protobufjs'].map((name) => [
    name,
    join(ROOT, 'packages/server/packaging/unused.cjs'),
  ]),
);

export const OF_SERVER = {
  target: 'node24',
  // Programs share chunks, and the supervisor, which runs as root, loads none of the serving code.
  splitting: true,
  outExtension: { '.js': '.mjs' },
  entryNames: '[name]',
  external: ['pg-native'],
  alias: UNUSED,
};

/** Worker threads of the server, which are started from separate files. */
export const THREADS = [
  'packages/server/src/bundles/compare-thread.ts',
  'packages/server/src/bundles/read/read-thread.ts',
  'packages/server/src/mailing/compose-thread.ts',
  'packages/server/src/sign-in/providers/saml/validate-thread.ts',
];

/** Copies helpers for R, Python and browsers next to the server. */
export function copyHelpers(directory) {
  for (const file of globSync('packages/server/src/**/*.{R,py,sh,js,cjs,css}', { cwd: ROOT }))
    copyFileSync(join(ROOT, file), join(directory, basename(file)));
}
