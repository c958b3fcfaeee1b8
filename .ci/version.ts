// `npm run version`: prepares a release. Applies the changesets: raises the common version of all packages, and moves
// their texts to CHANGELOG.md.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const versionOf = (file: string) => (JSON.parse(read(file)) as { version: string }).version;

const before = versionOf('packages/api/package.json');
const notes = globSync('.changeset/*.md', { cwd: root })
  .toSorted()
  .map((file) => read(file).split(/^---$/m).slice(2).join('---').trim());

run('changeset', 'version');
const version = versionOf('packages/api/package.json');
if (version !== before) {
  replace('CHANGELOG.md', /^(?=## )/m, `## ${version}\n\n${notes.join('\n')}\n\n`);
  replace('packages/api/src/client/version.ts', `'${before}'`, `'${version}'`);
  const named = /(?<=pressroom-(?:\w+-)?)\d+\.\d+\.\d+(?=\.(?:tgz|vsix))/g;
  for (const file of ['README.md', 'docs/publish/npm.md']) replace(file, named, version);
  replace('package.json', `"version": "${before}"`, `"version": "${version}"`);
  run('npm', 'install', '--package-lock-only', '--ignore-scripts', '--loglevel=error');
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function replace(file: string, what: string | RegExp, by: string): void {
  writeFileSync(
    join(root, file),
    read(file).replace(what, () => by),
  );
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd: root, stdio: 'inherit' });
}
