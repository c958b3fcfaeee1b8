// Covers restore of R packages: concurrent requests, a server that dies, and malicious packages.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../platform/clock.ts';
import { findNumbered } from '../../sandbox/accounts.ts';
import { processesWith, runCode, startBench, type Bench } from '../../testing.ts';
import { sweepRestores } from '../index.ts';
import {
  installedIn,
  makeRepository,
  manifestOf,
  packagesIn,
  restoreWith,
  restorerOf,
  withQuickR,
} from '../testing.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await startBench(200);
});
afterEach(() => bench[Symbol.asyncDispose]());

/** Adds a script that runs in the package's directory before installation. */
const configure = (script: string) => ({ configure: `#!/bin/sh\n${script}\n` });
/**
 * A restorer whose packages with these files install once two restores have chosen theirs: the second is then behind
 * the first.
 */
async function restorerOfTwo() {
  const quick = await withQuickR(bench);
  const gate = join(bench.directory, 'quick-r/gate');
  let chosen = 0;
  const exclusively = async <T>(work: () => Promise<T>): Promise<T> => {
    const result = await work();
    if ((chosen += 1) === 2) await writeFile(gate, '');
    return result;
  };
  return {
    restorer: restorerOf(quick, {}, { exclusively, clock: systemClock() }),
    files: configure(`until test -e ${gate}; do sleep 0.05; done`),
  };
}
/** Lists all paths below the directory with modification time and size. */
async function listing(directory: string): Promise<string[]> {
  const paths = await readdir(directory, { recursive: true });
  const stats = paths.map(async (path) => {
    const { mtimeMs, size } = await lstat(join(directory, path));
    return `${path} ${mtimeMs} ${size}`;
  });
  return (await Promise.all(stats)).toSorted();
}

test('two concurrent restores install each package once and both report it', async () => {
  const { restorer, files } = await restorerOfTwo();
  await makeRepository(bench.directory, [
    { name: 'first', files },
    { name: 'second', fields: 'Imports: first' },
    { name: 'third' },
  ]);
  const [first, second] = await Promise.all([
    restoreWith(restorer, { manifest: manifestOf({ first: '1.0', second: '1.0' }) }),
    restoreWith(restorer, { manifest: manifestOf({ first: '1.0', second: '1.0', third: '1.0' }) }),
  ]);
  const total = [...first.lines, ...second.lines].filter((line) => / \d installed$/.test(line));
  const counts = total.map((line) => Number(/(\d) installed$/.exec(line)![1]));
  expect(counts.reduce((sum, count) => sum + count)).toBe(3);
  expect(installedIn(first.lines).toSorted()).toEqual(['first', 'second']);
  expect(await packagesIn(second.environment)).toEqual(['first 1.0', 'second 1.0', 'third 1.0']);
});

test('a content item that needs few packages does not wait for all packages of another', async () => {
  const many = Array.from({ length: 12 }, (_, i) => `many${i}`);
  const { restorer, files } = await restorerOfTwo();
  await makeRepository(bench.directory, [...many.map((name) => ({ name, files })), { name: 'one' }]);
  const order: string[] = [];
  const begun = Promise.withResolvers<void>();
  const print = (line: string) => {
    order.push(...installedIn([line]));
    if (order.length === 1) begun.resolve();
  };
  const packages = Object.fromEntries(many.map((name) => [name, '1.0']));
  const first = restoreWith(restorer, { manifest: manifestOf(packages), owner: 'first', print });
  await begun.promise;
  // The other one needs the second, too, which it would install last.
  const few = manifestOf({ one: '1.0', many9: '1.0' });
  await restoreWith(restorer, { manifest: few, owner: 'second', print });
  await first;
  expect(order.slice(0, -3)).toEqual(expect.arrayContaining(['one', 'many9']));
  expect(new Set(order).size).toBe(13);
});

test('a cancelled restore leaves no process and does not stop a concurrent one', async () => {
  // A duration that no other process of this machine uses.
  const sleep = `sleep 600.${process.pid}`;
  await makeRepository(bench.directory, [{ name: 'slow', files: configure(sleep) }]);
  const restorer = restorerOf(bench);
  const [one, other] = [new AbortController(), new AbortController()];
  const manifest = manifestOf({ slow: '1.0' });
  const results = [one, other].map(({ signal }) => restoreWith(restorer, { manifest, signal }));
  const settled = Promise.allSettled(results);
  await vi.waitFor(async () => expect(await processesWith(sleep)).not.toEqual([]), 55_000);
  one.abort(new Error('cancelled'));
  await expect(results[0]).rejects.toThrow('cancelled');
  expect(await processesWith(sleep)).not.toEqual([]);
  other.abort(new Error('cancelled, too'));
  await settled;
  await expect(results[1]).rejects.toThrow('cancelled, too');
  expect(await processesWith(sleep)).toEqual([]);
  expect(await readdir(join(bench.directory, 'environments/work'))).toEqual([]);
});

test('a server killed during an installation leaves nothing that counts as complete', async () => {
  await makeRepository(bench.directory, [
    { name: 'first' },
    { name: 'second', fields: 'Imports: first', files: configure('sleep 1') },
  ]);
  const code = `
    import { startBench } from ${JSON.stringify(join(import.meta.dirname, '../../testing.ts'))};
    import { manifestOf, restorerOf, restoreWith, withQuickR } from ${JSON.stringify(join(import.meta.dirname, '../testing.ts'))};
    const bench = await withQuickR(await startBench(200, ${JSON.stringify(bench.directory)}));
    await restoreWith(restorerOf(bench), { manifest: manifestOf({ first: '1.0', second: '1.0' }), print: console.log });
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('Installing second')) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
  const { lines, environment } = await restoreWith(restorerOf(await withQuickR(bench)), {
    manifest: manifestOf({ first: '1.0', second: '1.0' }),
  });
  expect(installedIn(lines)).toEqual(['second']);
  expect(await packagesIn(environment)).toEqual(['first 1.0', 'second 1.0']);
  const environments = join(bench.directory, 'environments');
  expect(await readdir(join(environments, 'work'))).not.toEqual([]);
  await sweepRestores(environments, bench.launcher);
  expect(await readdir(environments)).not.toContain('work');
});

test('H7: installs from the server’s repository, whatever source the manifest names', async () => {
  await makeRepository(bench.directory, [{ name: 'first' }]);
  const elsewhere = join(bench.directory, 'elsewhere');
  await makeRepository(elsewhere, [
    { name: 'first', files: { 'R/version.R': 'version <- function() "of a publisher"' } },
    { name: 'other' },
  ]);
  const address = `file://${join(elsewhere, 'repository')}`;
  const described = (name: string) => ({
    Source: 'CRAN',
    Repository: address,
    description: {
      Package: name,
      Version: '1.0',
      RemoteType: 'local',
      RemoteUrl: address,
      Repository: address,
    },
  });
  const manifest = { ...manifestOf({}), packages: { first: described('first') } };
  const { environment } = await restoreWith(restorerOf(bench), { manifest, source: elsewhere });
  expect(await runCode(bench, environment, 'cat(first::version())')).toBe('first 1.0');
  const missing = { ...manifestOf({}), packages: { other: { ...described('other'), Source: 'github' } } };
  await expect(
    restoreWith(restorerOf(bench), { manifest: missing, source: elsewhere }),
  ).rejects.toMatchObject({
    code: 1,
    message: expect.stringContaining('its publisher installed it from github'),
  });
});

test('a malicious package can change nothing but itself', async () => {
  const environments = join(bench.directory, 'environments');
  const sleep = `sleep 601.${process.pid}`;
  await makeRepository(bench.directory, [
    { name: 'good' },
    {
      name: 'evil',
      fields: 'Imports: good',
      files: {
        ...configure(`
          for file in $(find ${bench.directory} "$R_LIBS" -follow 2>/dev/null); do
            if [ -d "$file" ]; then echo harm > "$file/harm"; else echo harm > "$file"; fi
          done 2>/dev/null
          ln -s ${bench.directory}/secret inst/secret
          mkdir -p "$R_PACKAGE_DIR"
          ln -s ${bench.directory} "$R_PACKAGE_DIR/everything" || exit 1
          (trap '' INT TERM HUP; ${sleep}) > /dev/null 2>&1 &
          exit 0`),
        'inst/fine.txt': 'fine',
      },
    },
  ]);
  await writeFile(join(bench.directory, 'secret'), 'of the server', { mode: 0o600 });
  await restoreWith(restorerOf(bench), { manifest: manifestOf({ good: '1.0' }) });
  const before = await listing(join(environments, 'R'));
  const { environment } = await restoreWith(restorerOf(bench), {
    manifest: manifestOf({ good: '1.0', evil: '1.0' }),
  });
  const after = await listing(join(environments, 'R'));
  // The build's directory changes at each use, its files never.
  const ofGood = (entries: readonly string[]) =>
    entries.filter((entry) => entry.includes('/packages/good/1.0/plain/'));
  expect(ofGood(before)).not.toEqual([]);
  expect(ofGood(after)).toEqual(ofGood(before));
  expect(await runCode(bench, environment, 'cat(good::version())')).toBe('good 1.0');
  const path = await runCode(bench, environment, 'cat(normalizePath(find.package("evil")))');
  expect(await readdir(path)).toContain('fine.txt');
  expect(await readdir(path)).not.toContain('everything');
  for (const file of await readdir(path, { recursive: true })) {
    const stat = await lstat(join(path, file));
    expect([stat.uid, stat.mode & 0o022], file).toEqual([process.getuid!(), 0]);
    if (stat.isFile()) expect(await readFile(join(path, file), 'utf8')).not.toContain('of the server');
  }
  expect(await processesWith(sleep)).toEqual([]);
  expect(await readFile('/etc/passwd', 'utf8')).not.toContain('harm');
});

test('installs each package as an account of its own', async () => {
  const files = configure('mkdir -p inst && id -u > inst/account');
  await makeRepository(bench.directory, [
    { name: 'one', files },
    { name: 'other', files },
  ]);
  const { environment } = await restoreWith(restorerOf(bench), {
    manifest: manifestOf({ one: '1.0', other: '1.0' }),
  });
  const code =
    'for (name in c("one", "other")) cat(readLines(system.file("account", package = name)), "\\n")';
  const accounts = (await runCode(bench, environment, code)).split('\n').map((line) => line.trim());
  for (const uid of accounts) expect(findNumbered(`#${uid}`), uid).not.toBeNull();
  expect(new Set(accounts).size).toBe(2);
});
