// Builds what ships: the command line and the server, each one file that runs on Node 22 and up.
import { copyFileSync, globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cyclonedxEsbuildPlugin } from '@cyclonedx/cyclonedx-esbuild';
import { build } from 'esbuild';

const shared = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  sourcemap: 'linked',
  legalComments: 'linked',
  // Dependencies in CommonJS look for require().
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  logLevel: 'info',
};

/** Of the client of container engines: its ways over SSH, and to build images. They look for files beside their sources. */
const UNUSED = Object.fromEntries(
  ['ssh2', '@grpc/grpc-js', '@grpc/proto-loader', 'protobufjs'].map((name) => [
    name,
    join(import.meta.dirname, 'packages/server/packaging/unused.cjs'),
  ]),
);

/** What went into a program, written beside it: CycloneDX. */
const listing = (outputFile) =>
  cyclonedxEsbuildPlugin({ outputFile, specVersion: '1.6', logLevel: 'warning' });

await build({
  ...shared,
  entryPoints: ['packages/cli/src/main.ts'],
  outfile: 'packages/cli/dist/pressroom.mjs',
  plugins: [listing('sbom.cdx.json')],
});
// One call, so that what they share is read once. The list is of `serve` and the tools beside it.
await build({
  ...shared,
  entryPoints: [
    'serve',
    'quickstart',
    'audit-verify',
    'backup',
    'restore',
    'move-database',
    'move-files',
    'doctor',
  ].map((name) => `packages/server/src/main/${name}.ts`),
  outdir: 'packages/server/dist',
  outExtension: { '.js': '.mjs' },
  target: 'node24',
  external: ['pg-native'],
  alias: UNUSED,
  plugins: [listing('sbom.cdx.json')],
});
// What the server hands to R, Python and browsers: beside it, where it looks for that.
for (const file of globSync('packages/server/src/**/*.{R,py,sh,js,cjs,css}'))
  copyFileSync(file, join('packages/server/dist', basename(file)));
