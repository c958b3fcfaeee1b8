// Builds the released programs: the command line for Node 22.19 and up, and the server's programs for Node 24.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { cyclonedxEsbuildPlugin } from '@cyclonedx/cyclonedx-esbuild';
import { build } from 'esbuild';
import { copyHelpers, OF_SERVER, SHARED, THREADS } from './.ci/bundles.mjs';
import { OLDEST } from './packages/server/src/main/config/node-version.ts';

const shared = {
  ...SHARED,
  target: 'node22',
  sourcemap: 'linked',
  legalComments: 'linked',
  logLevel: 'info',
};

/** Without it, an older Node fails with a stack trace. */
const REQUIRES_NODE = `{
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 19)) {
    console.error(\`pressroom requires Node.js 22.19 or newer; this is \${process.versions.node}. Install it from https://nodejs.org/\`);
    process.exit(2);
  }
}`;

/** Writes a software bill of materials next to a program: CycloneDX. */
const listing = (outputFile) =>
  cyclonedxEsbuildPlugin({ outputFile, specVersion: '1.6', logLevel: 'warning' });

await build({
  ...shared,
  entryPoints: ['packages/cli/src/main.ts'],
  outfile: 'packages/cli/dist/pressroom.mjs',
  banner: { js: `${SHARED.banner.js}\n${REQUIRES_NODE}` },
  plugins: [listing('sbom.cdx.json')],
});
// One call, so that shared code is read once. The bill of materials covers `serve` and its tools. Shared chunks change
// their name with each change.
rmSync('packages/server/dist', { recursive: true, force: true });
const PROGRAMS = ['serve', 'quickstart', 'audit-verify', 'backup', 'restore', 'move-database', 'move-files'];
await build({
  ...shared,
  ...OF_SERVER,
  // The doctor reports an old Node.js itself.
  entryPoints: [...[...PROGRAMS, 'doctor'].map((name) => `packages/server/src/main/${name}.ts`), ...THREADS],
  outdir: 'packages/server/dist',
  plugins: [listing('sbom.cdx.json')],
});
copyHelpers('packages/server/dist');

// An older Node lacks modules that a program imports: it would fail before the program could say why.
for (const name of PROGRAMS) {
  const file = `packages/server/dist/${name}.mjs`;
  renameSync(file, `packages/server/dist/${name}-program.mjs`);
  writeFileSync(
    file,
    `const [major, minor] = process.versions.node.split('.').map(Number);
if (major > ${OLDEST[0]} || (major === ${OLDEST[0]} && minor >= ${OLDEST[1]})) await import('./${name}-program.mjs');
else {
  console.error(\`Node.js \${process.versions.node} is too old: install ${OLDEST.join('.')} or newer\`);
  process.exitCode = 1;
}
`,
  );
}
