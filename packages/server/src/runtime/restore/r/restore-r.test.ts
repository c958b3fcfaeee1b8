// Covers restore of R packages, with the real R of this machine and a repository made for each test.
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCode, startBench, type Bench } from '../../testing.ts';
import type { Restorer } from '../create-restorer.ts';
import {
  installedIn,
  makeRepository,
  manifestOf,
  restoreWith,
  restorerOf,
  type RSource,
} from '../testing.ts';
import { compareVersions } from '../versions.ts';

const run = promisify(execFile);
const restore = (restorer: Restorer, packages: Record<string, string>) =>
  restoreWith(restorer, { manifest: manifestOf(packages) });

describe('Restore of R packages', () => {
  let bench: Bench;
  const chain: RSource[] = [
    { name: 'p0' },
    { name: 'p1', fields: 'Imports: p0' },
    { name: 'p2', fields: 'Imports: p0' },
    { name: 'p3', fields: 'Imports: p2, p1' },
  ];

  beforeAll(async () => {
    bench = await startBench();
    await makeRepository(bench.directory, [
      ...chain,
      { name: 'old', version: '0.1-2' },
      { name: 'old', version: '0.1.10' },
      { name: 'needy', fields: 'Imports: unlisted' },
      { name: 'unlisted' },
      { name: 'broken', files: { 'R/version.R': 'version <- function( {' } },
      { name: 'demanding', fields: 'Imports: nowhere' },
    ]);
    // Uses the index that R itself writes.
    const contrib = join(bench.directory, 'repository/src/contrib');
    await rm(join(contrib, 'PACKAGES.gz'));
    await run('Rscript', ['--vanilla', '-e', 'tools::write_PACKAGES(commandArgs(TRUE)[1])', contrib]);
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  test('installs a chain of dependencies once, and nothing after a restart', async () => {
    const packages = Object.fromEntries(chain.map(({ name }) => [name, '1.0']));
    const first = await restore(restorerOf(bench), packages);
    expect(installedIn(first.lines)).toHaveLength(chain.length);
    expect(first.lines[0]).toBe(
      `Bundle requested R version 4.1.0; using ${(await bench.installations.findR())!.program} which has version ${first.environment.version}`,
    );
    const second = await restore(restorerOf(bench), packages);
    expect(installedIn(second.lines)).toEqual([]);
    expect(second.environment).toEqual(first.environment);
    expect(await runCode(bench, second.environment, 'cat(p3::version(), p2::version())')).toBe(
      'p3 1.0 p2 1.0',
    );
  });

  test('installs older versions from the archive and treats "-" and "." alike', async () => {
    const { environment } = await restore(restorerOf(bench, { rPackagePolicy: 'exact' }), { old: '0.1-2' });
    expect(await runCode(bench, environment, 'cat(old::version())')).toBe('old 0.1-2');
    const current = await restore(restorerOf(bench, { rPackagePolicy: 'exact' }), { old: '0.1-10' });
    expect(await runCode(bench, current.environment, 'cat(old::version())')).toBe('old 0.1.10');
  });

  test('accepts newer versions unless the policy is exact', async () => {
    const { environment } = await restore(restorerOf(bench), { old: '0.1.9' });
    expect(await runCode(bench, environment, 'cat(old::version())')).toBe('old 0.1.10');
    const exact = restorerOf(bench, { rPackagePolicy: 'exact' });
    await expect(restore(exact, { old: '0.1.9' })).rejects.toMatchObject({
      code: 1,
      message: 'Package old (0.1.9) is not available: the repository has 0.1.10',
      payload: { package: 'old', wanted: '0.1.9', found: '0.1.10' },
    });
  });

  test('installs nothing if the manifest says that the server has the packages', async () => {
    const manifest = { ...manifestOf({ old: '0.1.10' }), unmanaged: { python: false, r: true } };
    const { environment, lines } = await restoreWith(restorerOf(bench), { manifest });
    expect(lines.at(-1)).toBe('R packages are not installed: the manifest says so');
    expect(environment.env).not.toHaveProperty('R_LIBS');
  });

  test('uses packages of the server and skips those that ship with R', async () => {
    const { environment, lines } = await restore(restorerOf(bench), { knitr: '1.0', stats: '99.0' });
    expect(installedIn(lines)).toEqual([]);
    expect(environment.env).not.toHaveProperty('R_LIBS');
  });

  test('disables the autoloader of renv', async () => {
    const { environment } = await restore(restorerOf(bench), { old: '0.1.10' });
    expect(environment.env.RENV_CONFIG_AUTOLOADER_ENABLED).toBe('FALSE');
  });

  test('names the origin of a missing package that is not from a repository', async () => {
    const manifest = manifestOf({ absent: '2.1' });
    manifest.packages!.absent!.Source = 'github';
    const failing = restoreWith(restorerOf(bench), { manifest });
    await expect(failing).rejects.toThrow(/is not available: .*\(its publisher installed it from github\)$/);
  });

  test('uses the library of the server when no package is listed', async () => {
    const { environment } = await restore(restorerOf(bench), {});
    expect(await runCode(bench, environment, 'cat(nzchar(system.file(package = "rmarkdown")))')).toBe('TRUE');
  });

  test('installs dependencies that the manifest does not list', async () => {
    const { environment, lines } = await restore(restorerOf(bench), { needy: '1.0' });
    expect(lines).toContain('needy needs unlisted, which the manifest does not list');
    expect(await runCode(bench, environment, 'library(needy); cat(unlisted::version())')).toBe(
      'unlisted 1.0',
    );
  });

  test.each([
    [
      { absent: '2.1' },
      /^Package absent \(2.1\) is not available: neither on this server nor in .*repository$/,
    ],
    [{ knitr: '999.1' }, /^Package knitr \(999.1\) is not available: the server has \d/],
    [{ demanding: '1.0' }, /^Package nowhere is not available/],
    [{ broken: '1.0' }, /^Package broken \(1.0\) does not install: .*unexpected '\{'/],
  ])('fails for %j with an error that names the package', async (packages, message) => {
    await expect(restore(restorerOf(bench), packages)).rejects.toMatchObject({
      code: 1,
      message: expect.stringMatching(message),
    });
  });

  test.each([
    [{ '../evil': '1.0' }, /no name of an R package/],
    [{ fine: '1.0/../../x' }, /the version of the R package fine is no version/],
  ])('rejects %j with error 38', async (packages, message) => {
    await expect(restore(restorerOf(bench), packages)).rejects.toMatchObject({
      code: 38,
      message: expect.stringMatching(message),
    });
  });

  test('names R.Repository when no repository is set', async () => {
    await expect(restore(restorerOf(bench, { rRepository: 'none' }), { absent: '1.0' })).rejects.toThrow(
      /R\.Repository/,
    );
  });
});

test('compareVersions orders versions as R does', async () => {
  const versions = ['0.1-3', '0.1.3', '0.1', '0.1.0', '0.1-10', '0.1.9', '1.0', '01.2', '1.2', '10.0', '2.0'];
  const pairs = versions.flatMap((a) => versions.map((b) => [a, b] as const));
  const code = `x <- commandArgs(TRUE); a <- package_version(x[c(TRUE, FALSE)]); b <- package_version(x[c(FALSE, TRUE)])
    cat((a > b) - (a < b))`;
  const { stdout } = await run('Rscript', ['--vanilla', '-e', code, ...pairs.flat()]);
  expect(pairs.map(([a, b]) => Math.sign(compareVersions(a, b)))).toEqual(stdout.split(' ').map(Number));
});
