// Builds the extension, checks the files of the package, and packs it: `npm run vsix`.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import type { Origin } from '../manifest/manifest.ts';
import { bundle } from './bundle.ts';
import { readManifest } from './read-manifest.ts';

const here = join(import.meta.dirname, '../..');
const MAX_BYTES = 250_000;
/** Maximum bytes of code loaded at activation: reading it takes most of the time. */
const MAX_CODE_BYTES = 400_000;
const EXPECTED =
  /^(package\.json|package\.nls(\.\w+)?\.json|README\.md|CHANGELOG\.md|LICENSE|dist\/(extension|web|(actions|chunk)-\w+)\.js|media\/[\w-]+\.(svg|png)|l10n\/bundle\.l10n\.\w+\.json)$/;

const { version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as { version: string };

export interface VsixOptions {
  /** For the package and its files; concurrent builds need different ones. */
  readonly outdir?: string;
  /** For the marketplaces' pre-release channel. */
  readonly preRelease?: boolean;
  /** Public address of the sources, such as https://github.com/OWNER/NAME, for pictures and links of the README. */
  readonly repository?: string | undefined;
}

/** Returns the path of the package. @throws if it contains unexpected files, or is too large */
export async function makeVsix({
  outdir = join(here, 'dist'),
  preRelease = false,
  repository,
}: VsixOptions = {}): Promise<string> {
  const stage = join(outdir, 'stage');
  const vsix = join(outdir, `pressroom-${version}.vsix`);
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  await bundle(join(stage, 'dist'));
  const { extensionManifest, TEXTS } = readManifest();
  const manifest = extensionManifest(
    version,
    originOf(repository === undefined ? readRepository() : originAt(repository)),
  );
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const inBrowser = join(import.meta.dirname, 'activate-in-browser.ts');
  execFileSync(process.execPath, [inBrowser, stage], { stdio: 'inherit' });
  writeFileSync(join(stage, 'package.nls.json'), JSON.stringify(TEXTS));
  for (const folder of ['media', 'l10n'])
    cpSync(join(here, folder), join(stage, folder), { recursive: true });
  cpSync(join(here, 'package.nls.de.json'), join(stage, 'package.nls.de.json'));
  const readme = readFileSync(join(here, 'README.md'), 'utf8');
  // A picture without an address would be missing on the page.
  writeFileSync(
    join(stage, 'README.md'),
    repository === undefined ? withoutPictures(readme) : fromTheTop(readme),
  );
  for (const file of ['LICENSE', 'CHANGELOG.md']) cpSync(join(here, '../..', file), join(stage, file));
  const files = listed(stage);
  const strange = files.filter((file) => !EXPECTED.test(file));
  if (strange.length > 0) throw new Error(`unexpected files in the package: ${strange.join(', ')}`);
  const vsce = join(here, '../../node_modules/@vscode/vsce/vsce');
  const options = ['package', '--no-dependencies', '--allow-missing-repository', '--out', vsix];
  if (preRelease) options.push('--pre-release');
  if (repository !== undefined) {
    const at = (kind: string) => `${repository}/${kind}/HEAD`;
    options.push('--baseImagesUrl', at('raw'), '--baseContentUrl', at('blob'));
  }
  execFileSync(process.execPath, [vsce, ...options], { cwd: stage, stdio: ['ignore', 'ignore', 'inherit'] });
  const { size } = statSync(vsix);
  if (size > MAX_BYTES) throw new Error(`the package has ${size} bytes, and ${MAX_BYTES} is the limit`);
  const time = activationTime(stage, manifest);
  console.log(
    `${relative(process.cwd(), vsix)}: ${files.length} files, ${size} bytes, active in ${time.toFixed(0)} ms`,
  );
  return vsix;
}

/** Its links, relative to the top of the repository. */
function fromTheTop(readme: string): string {
  return readme.replaceAll('](../../', '](');
}

function withoutPictures(readme: string): string {
  return readme.replace(/^!\[[^\]]*\]\([^)]*\)\n\n?/gm, '');
}

function originAt(repository: string): Origin {
  return {
    repository: { type: 'git', url: `${repository}.git` },
    bugs: { url: `${repository}/issues` },
    homepage: `${repository}#readme`,
  };
}

function readRepository(): Origin {
  return JSON.parse(readFileSync(join(here, '../../package.json'), 'utf8')) as Origin;
}

function originOf({ repository, bugs, homepage }: Origin): Origin {
  return {
    ...(repository !== undefined && { repository }),
    ...(bugs !== undefined && { bugs }),
    ...(homepage !== undefined && { homepage }),
  };
}

/**
 * Milliseconds. @throws if it cannot be activated, would be active in every window, connects, or loads too much code
 */
function activationTime(
  stage: string,
  { activationEvents }: { readonly activationEvents: readonly string[] },
): number {
  const eager = activationEvents.filter((event) => /^(\*|onStartupFinished)$/.test(event));
  if (eager.length > 0)
    throw new Error(`the extension must not be active in every window: ${eager.join(', ')}`);
  const printed = execFileSync(process.execPath, [join(import.meta.dirname, 'activation.ts'), stage]);
  const { load, activate, connections, code } = JSON.parse(printed.toString()) as Record<string, number>;
  if (connections !== 0) throw new Error('the extension opens a connection before somebody asks for one');
  if (code! > MAX_CODE_BYTES)
    throw new Error(`the extension starts with ${code} bytes of code, and ${MAX_CODE_BYTES} is the limit`);
  return load! + activate!;
}

function listed(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)))
    .toSorted();
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { 'pre-release': { type: 'boolean', default: false }, repository: { type: 'string' } },
  });
  await makeVsix({ preRelease: values['pre-release'], repository: values.repository?.replace(/\/+$/, '') });
}
