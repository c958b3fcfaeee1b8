// Builds what ships: the command line, one file for Node 22.19 and up, and the programs of the server for Node 24.
import { rmSync } from 'node:fs';
import { cyclonedxEsbuildPlugin } from '@cyclonedx/cyclonedx-esbuild';
import { build } from 'esbuild';
import { copyHelpers, OF_SERVER, SHARED, THREADS } from './.ci/bundles.mjs';

const shared = {
  ...SHARED,
  target: 'node22',
  sourcemap: 'linked',
  legalComments: 'linked',
  logLevel: 'info',
};

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
// What they share has another name after each change.
rmSync('packages/server/dist', { recursive: true, force: true });
await build({
  ...shared,
  ...OF_SERVER,
  entryPoints: [
    ...[
      'serve',
      'quickstart',
      'audit-verify',
      'backup',
      'restore',
      'move-database',
      'move-files',
      'doctor',
    ].map((name) => `packages/server/src/main/${name}.ts`),
    ...THREADS,
  ],
  outdir: 'packages/server/dist',
  plugins: [listing('sbom.cdx.json')],
});
copyHelpers('packages/server/dist');
