// Covers the choice of a language version by each policy, and errors that say what to do.
import { manifestOf } from '@pressroom/api/contract';
import { expect, test } from 'vitest';
import { requestOf, chooseInstallation, type VersionMatching } from './choose-version.ts';

const EMPTY = manifestOf({ version: 1, metadata: { appmode: 'shiny' } });
const INSTALLED = ['3.11.2', '3.12.1', '3.9.18', '3.12.7'].map((version) => ({ version, file: version }));

function choose(version: string | null, policy: VersionMatching, requires: string | null = null): string {
  return chooseInstallation(INSTALLED, { language: 'Python', version, requires }, policy).version;
}

test.each<[string | null, VersionMatching, string]>([
  // The first installation is used if the bundle names no version, or an invalid one.
  [null, 'exact', '3.11.2'],
  ['system', 'exact', '3.11.2'],
  ['3.12.1', 'exact', '3.12.1'],
  ['3.12', 'exact', '3.12.7'],
  ['3', 'exact', '3.11.2'],
  ['3.12.0', 'major-minor', '3.12.1'],
  ['3.12.5', 'major-minor', '3.12.7'],
  ['3.12.9', 'major-minor', '3.12.7'],
  ['3.9.1+', 'nearest', '3.9.18'],
  ['3.10.4', 'nearest', '3.11.2'],
  ['3.8.0', 'nearest', '3.9.18'],
  ['3.14.0', 'nearest', '3.12.7'],
])('%s under %s resolves to %s', (version, policy, chosen) => {
  expect(choose(version, policy)).toBe(chosen);
});

test('the version requirement of the project overrides the policy', () => {
  expect(choose('3.12.5', 'exact', '>=3.10')).toBe('3.12.7');
  expect(choose('3.12.1', 'nearest', '<3.12')).toBe('3.11.2');
  expect(choose(null, 'exact', '>=3.12')).toBe('3.12.1');
});

test.each<[string, VersionMatching, string | null, string]>([
  [
    '3.12.3',
    'exact',
    null,
    'the bundle asks for Python 3.12.3, and this server has 3.11.2, 3.12.1, 3.9.18, 3.12.7: publish it with one of these versions, or ask an administrator to install Python 3.12.3 (Python.Executable), or set Python.VersionMatching to major-minor or nearest',
  ],
  [
    '3.8.1',
    'major-minor',
    null,
    'the bundle asks for Python 3.8.1, and this server has 3.11.2, 3.12.1, 3.9.18, 3.12.7: publish it with one of these versions, or ask an administrator to install Python 3.8.1 (Python.Executable), or set Python.VersionMatching to nearest',
  ],
  [
    '3.11.2',
    'nearest',
    '>=3.13',
    'the bundle asks for Python >=3.13, and this server has 3.11.2, 3.12.1, 3.9.18, 3.12.7: publish it with one of these versions, or ask an administrator to install Python >=3.13 (Python.Executable)',
  ],
])('rejects %s under %s with %j and lists the installed versions', (version, policy, requires, message) => {
  expect(() => choose(version, policy, requires)).toThrow(expect.objectContaining({ code: 39, message }));
});

test('reads the R version from the platform of the manifest and Python’s from its section', () => {
  const manifest = { ...EMPTY, platform: '4.1.2', requires: { python: null, r: '>= 4.1' } };
  expect(requestOf(manifest, 'R')).toEqual({ language: 'R', version: '4.1.2', requires: '>= 4.1' });
  expect(requestOf(manifest, 'Python')).toEqual({ language: 'Python', version: null, requires: null });
  const installed = ['4.2.2', '4.4.1', '4.0.5'].map((version) => ({ version, file: version }));
  expect(chooseInstallation(installed, requestOf(manifest, 'R'), 'exact').version).toBe('4.2.2');
  const exact = { language: 'R', version: '4.3.0', requires: null } as const;
  expect(() => chooseInstallation(installed, exact, 'major-minor')).toThrow(
    /asks for R 4\.3\.0, .*R\.Executable/,
  );
});
