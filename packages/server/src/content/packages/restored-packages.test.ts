// Covers reading of the records of a Python environment as packages.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { restoredPythonPackages } from './restored-packages.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'restored-'));
});
afterEach(() => rm(directory, { recursive: true }));

test('lists each dist-info directory as a package under its normalized name', async () => {
  const site = join(directory, 'venv/lib/python3.11/site-packages');
  for (const name of [
    'Flask_Cors-4.0.1.dist-info',
    'zope.interface-6.2.dist-info',
    'flask_cors',
    'x.egg-info',
  ])
    await mkdir(join(site, name), { recursive: true });
  expect((await restoredPythonPackages(directory)).toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: 'flask-cors', version: '4.0.1' },
    { name: 'zope-interface', version: '6.2' },
  ]);
});

test('returns no packages for an environment that no longer exists', async () => {
  expect(await restoredPythonPackages(join(directory, 'gone'))).toEqual([]);
});
