// Covers restore for another Python than the system's: a real one of this machine, with wheels made for the test.
import { existsSync, globSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createInstallations, SYSTEM_PYTHON } from '../../installations.ts';
import { EMPTY_MANIFEST, runCode, startBench } from '../../testing.ts';
import { makeWheel, restoreWith, restorerOf } from '../testing.ts';

/** Debian's PyPy: another implementation and version, which also sees Debian's packages. */
const PYPY = '/usr/bin/pypy3';
/** Machines for many languages have a Python without packages; `.ci/system-packages.mjs` looks for it, too. */
const OTHER =
  [
    ...globSync('/opt/python/*/bin/python3'),
    ...globSync(join(homedir(), '.pyenv/versions/3.1[02-9]*/bin/python3')),
  ].at(-1) ?? PYPY;

const manifestOf = (version: string, requires?: string) => ({
  ...EMPTY_MANIFEST,
  appmode: 'python-fastapi',
  python: {
    version,
    package_manager: { name: 'pip', version: null, package_file: 'requirements.txt' },
  },
  ...(requires !== undefined && { requires: { python: requires, r: null } }),
});

test('each bundle gets the Python that it names, and the system’s stays unchanged', async () => {
  await using bench = await startBench(200);
  for (const name of ['alpha', 'uvicorn', 'websockets']) await makeWheel(bench.directory, name, '99.0');
  const installations = createInstallations({ python: [SYSTEM_PYTHON, OTHER] });
  const [system, other] = await installations.listPython();
  const restorer = restorerOf({ ...bench, installations });
  const source = join(bench.directory, 'bundle');
  await mkdir(source);
  await writeFile(join(source, 'requirements.txt'), 'alpha\n');
  const code =
    'import sys, alpha, uvicorn; print("%d.%d.%d" % sys.version_info[:3], alpha.VERSION, uvicorn.__file__)';
  const own = await restoreWith(restorer, { manifest: manifestOf(other!.version), source });
  expect(own.lines[0]).toBe(
    `Bundle requested Python version ${other!.version}; using ${other!.file} which has version ${other!.version}`,
  );
  const [path] = own.environment.readable;
  const where = OTHER === PYPY ? '/usr/lib/python3/' : `${path}/venv/lib/`;
  const printed = await runCode(bench, own.environment, code);
  expect(printed.startsWith(`${other!.version} 99.0 ${where}`)).toBe(true);
  const usual = await restoreWith(restorer, { manifest: manifestOf(system!.version), source });
  expect(usual.environment.readable).not.toEqual(own.environment.readable);
  expect(await runCode(bench, usual.environment, code)).toMatch(
    new RegExp(`^${system!.version} 99.0 /usr/lib/python3/`),
  );
  // Once more, by the version requirement of the project.
  const again = await restoreWith(restorer, {
    manifest: manifestOf(system!.version, `==${other!.version}`),
    source,
  });
  expect(again.lines).toEqual([
    `Bundle requested Python version ${system!.version} of ==${other!.version}; using ${other!.file} which has version ${other!.version}`,
    'Python packages of requirements.txt: from the cache',
  ]);
  expect(again.environment).toEqual(own.environment);
  expect(existsSync(path!)).toBe(true);
});
