// For tests: restorers with their own caches, R packages, a repository of them, and wheels.
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Manifest } from '@pressroom/api/contract';
import * as tar from 'tar';
import { systemClock } from '../../platform/clock.ts';
import type { Environment } from '../kinds/engine.ts';
import { EMPTY_MANIFEST, NEVER, type Bench } from '../testing.ts';
import {
  createRestorer,
  type Restorer,
  type RestorerOptions,
  type RestoreSettings,
} from './create-restorer.ts';
import type { OwnSource } from './own-sources.ts';
import { readLibraries } from './r/r-library.ts';

const run = promisify(execFile);

export const manifestOf = (packages: Record<string, string>): Manifest => ({
  ...EMPTY_MANIFEST,
  platform: '4.1.0',
  packages: Object.fromEntries(
    Object.entries(packages).map(([name, Version]) => [
      name,
      { Source: 'CRAN', Repository: null, description: { Package: name, Version } },
    ]),
  ),
});

/** A second one on the same bench stands for a restarted server. */
export function restorerOf(
  { launcher, installations, directory }: Bench,
  settings: Partial<RestoreSettings> = {},
  turns: Pick<RestorerOptions, 'exclusively' | 'clock'> = {
    exclusively: (work) => work(),
    clock: systemClock(),
  },
): Restorer {
  return createRestorer({
    launcher,
    directory: join(directory, 'environments'),
    installations,
    ...turns,
    settings: {
      rRepository: join(directory, 'repository'),
      rPackagePolicy: 'at-least',
      pythonIndex: '',
      pythonFindLinks: join(directory, 'wheels'),
      network: true,
      privateHosts: '',
      pythonUv: 'none',
      credentials: '',
      rVersionMatching: 'nearest',
      pythonVersionMatching: 'nearest',
      ...settings,
    },
  });
}

/** Restores and returns the output. */
export async function restoreWith(
  restorer: Restorer,
  request: {
    manifest: Manifest;
    source?: string;
    owner?: string;
    sources?: readonly OwnSource[];
    signal?: AbortSignal;
    print?: (line: string) => void;
  },
): Promise<{ environment: Environment; lines: string[] }> {
  const { manifest, source = '/', owner = source, signal = NEVER, sources = [] } = request;
  const lines: string[] = [];
  const print = (line: string) => {
    lines.push(line);
    request.print?.(line);
  };
  const language = manifest.python ? 'Python' : 'R';
  const environment = await restorer.restore({
    language,
    manifest,
    source,
    fingerprint: source,
    owner,
    runAs: null,
    sources,
    print,
    signal,
  });
  return { environment, lines };
}

/**
 * A bench whose R only unpacks packages, once what they import is there, after their `configure`: for tests of what is
 * installed when. R itself starts four times for each package.
 */
export async function withQuickR(bench: Bench): Promise<Bench> {
  const directory = join(bench.directory, 'quick-r');
  await mkdir(directory, { recursive: true });
  const [program, file] = [join(directory, 'R'), join(directory, 'Rscript')];
  await writeFile(program, QUICK_R, { mode: 0o755 });
  const part = { repository: null, libraries: [], readable: [directory] };
  const r = { version: '4.2.2', platform: 'quick', program, file, ...part };
  return {
    ...bench,
    installations: { ...bench.installations, findR: async () => r, listR: async () => [r] },
  };
}

/** Arguments: CMD INSTALL --no-lock --no-docs --library=… file. */
const QUICK_R = `#!/bin/sh -e
cd "\${5#--library=}"
tar -xzf "$6"
cd *
test ! -e configure || ./configure
for name in $(sed -n 's/^Imports: //p' DESCRIPTION | tr , ' '); do test -d "$R_LIBS/$name"; done
`;

/** The packages of a restored R library, such as "alpha 1.0". */
export async function packagesIn({ env }: Environment): Promise<string[]> {
  const found = await readLibraries([env.R_LIBS!]);
  return [...found.values()].map(({ name, version }) => `${name} ${version}`).toSorted();
}

/** The installed packages according to the output. */
export const installedIn = (lines: readonly string[]) =>
  lines.flatMap((line) => /^Installing (\S+) \(/.exec(line)?.[1] ?? []);

export interface RSource {
  readonly name: string;
  readonly version?: string;
  /** Additional lines of DESCRIPTION, such as "Imports: a". */
  readonly fields?: string;
  /** Additional files. */
  readonly files?: Readonly<Record<string, string>>;
}

/**
 * Source packages in CRAN's layout: the last version of each is current, older ones are in the archive. The index is
 * written directly, without starting R.
 */
export async function makeRepository(directory: string, sources: readonly RSource[]): Promise<void> {
  const contrib = join(directory, 'repository/src/contrib');
  await mkdir(contrib, { recursive: true });
  for (const source of sources) {
    const { name } = source;
    for (const file of await readdir(contrib)) {
      if (!file.startsWith(`${name}_`)) continue;
      await mkdir(join(contrib, 'Archive', name), { recursive: true });
      await rename(join(contrib, file), join(contrib, 'Archive', name, file));
    }
    await packSource(contrib, source);
  }
  const records = (await readdir(contrib)).flatMap((file) => {
    const [, name, version] = /^(.*)_(.*)\.tar\.gz$/.exec(file) ?? [];
    return name === undefined ? [] : [`Package: ${name}\nVersion: ${version}\n`];
  });
  await writeFile(join(contrib, 'PACKAGES.gz'), gzipSync(records.join('\n')));
}

async function packSource(contrib: string, { name, version = '1.0', fields, files }: RSource) {
  const work = await mkdtemp(join(tmpdir(), 'pressroom-source-'));
  const all = {
    DESCRIPTION: [
      `Package: ${name}\nVersion: ${version}\nTitle: Made for a Test\nDescription: Nothing.\nLicense: MIT`,
      // Otherwise R starts again to load it from another place.
      `Author: A\nMaintainer: A <a@example.com>\nStagedInstall: no\n${fields ? `${fields}\n` : ''}`,
    ].join('\n'),
    NAMESPACE: 'export(version)',
    'R/version.R': `version <- function() "${name} ${version}"`,
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(work, name, path)), { recursive: true });
    await writeFile(join(work, name, path), text, { mode: 0o755 });
  }
  await tar.create({ gzip: true, cwd: work, file: join(contrib, `${name}_${version}.tar.gz`) }, [name]);
  await rm(work, { recursive: true });
}

/** A wheel with one module that knows its version. */
export async function makeWheel(
  directory: string,
  name: string,
  version: string,
  requires = '',
  text = version,
): Promise<void> {
  const wheels = join(directory, 'wheels');
  await mkdir(wheels, { recursive: true });
  const info = `${name}-${version}.dist-info`;
  const metadata = `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n${requires && `Requires-Dist: ${requires}\n`}`;
  const files: Record<string, string> = {
    [`${name}.py`]: `VERSION = '${text}'\n`,
    [`${info}/METADATA`]: metadata,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  };
  const digest = (text: string) => hash('sha256', text, 'base64url');
  const record = Object.entries(files).map(([path, text]) => `${path},sha256=${digest(text)},${text.length}`);
  files[`${info}/RECORD`] = [...record, `${info}/RECORD,,`, ''].join('\n');
  const script =
    'import json,sys,zipfile\nwith zipfile.ZipFile(sys.argv[1], "w") as z:\n for n, t in json.loads(sys.argv[2]).items(): z.writestr(n, t)';
  const target = join(wheels, `${name}-${version}-py3-none-any.whl`);
  await run('/usr/bin/python3', ['-c', script, target, JSON.stringify(files)]);
}
