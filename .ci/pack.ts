// `npm run pack [DIRECTORY]`: packs @pressroom/api and @pressroom/cli as npm publishes them, by default into dist/. In
// development their exports point to the sources. Published packages have JavaScript and declarations, so each is built
// in a separate directory next to the tarball, with exports pointing to the built files.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

interface PackageJson {
  readonly exports?: Readonly<Record<string, string>>;
  readonly scripts?: object;
}

const root = join(import.meta.dirname, '..');
const destination = resolve(process.argv[2] ?? join(root, 'dist'));

const api = stage('api');
run('tsc', '-p', 'packages/api/tsconfig.build.json', '--checkers', '1', '--outDir', join(api, 'dist'));
// The compiler rewrites import extensions in JavaScript only.
for (const file of globSync(join(api, 'dist/**/*.d.ts'))) {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replaceAll(/\b(from |import\()(['"]\.[^'"]*)\.ts(['"])/g, '$1$2.js$3'));
}

const cli = stage('cli');
for (const directory of ['bin', 'man'])
  cpSync(join(root, 'packages/cli', directory), join(cli, directory), { recursive: true });
await build({
  entryPoints: [join(root, 'packages/cli/src/main.ts')],
  outfile: join(cli, 'dist/pressroom.mjs'),
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node22',
});
run('npm', 'pack', api, cli, '--pack-destination', destination, '--loglevel=error');

/** A new directory with the files common to both packages. */
function stage(name: string): string {
  const from = join(root, 'packages', name);
  const to = join(destination, name);
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  const {
    scripts: _,
    exports,
    ...kept
  } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as PackageJson;
  const published = exports === undefined ? kept : { ...kept, exports: builtExports(exports) };
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  copyFileSync(join(from, 'README.md'), join(to, 'README.md'));
  for (const file of ['LICENSE', 'CHANGELOG.md']) copyFileSync(join(root, file), join(to, file));
  return to;
}

/** Maps `./src/client/index.ts` to its JavaScript and declarations. */
function builtExports(sources: Readonly<Record<string, string>>) {
  const built = Object.entries(sources).map(([name, source]) => {
    const file = source.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '');
    return [name, { types: `${file}.d.ts`, default: `${file}.js` }] as const;
  });
  return { ...Object.fromEntries(built), './package.json': './package.json' };
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd: root, stdio: 'inherit' });
}
