// Builds what ships: the command line and the server, each one file that runs on Node 22 and up.
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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

await build({
  ...shared,
  entryPoints: ['packages/api/src/cli/main.ts'],
  outfile: 'packages/api/dist/pressroom.mjs',
});
for (const name of ['serve', 'audit-verify']) {
  await build({
    ...shared,
    entryPoints: [`packages/server/src/start/${name}.ts`],
    outfile: `packages/server/dist/${name}.mjs`,
    target: 'node24',
    external: ['pg-native'],
  });
}
// What the server hands to R, Python and browsers: beside it, where it looks for that.
for (const file of globSync('packages/server/src/**/*.{R,py,js,css}'))
  copyFileSync(file, join('packages/server/dist', basename(file)));

// What is in them, as the lockfile has it: CycloneDX.
for (const [name, directory] of [
  ['@pressroom/api', 'packages/api/dist'],
  ['@pressroom/server', 'packages/server/dist'],
]) {
  const options = ['--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only', `--workspace=${name}`];
  const sbom = execFileSync('npm', ['sbom', ...options], { cwd: import.meta.dirname, maxBuffer: 2 ** 26 });
  writeFileSync(join(directory, 'sbom.cdx.json'), sbom);
}
