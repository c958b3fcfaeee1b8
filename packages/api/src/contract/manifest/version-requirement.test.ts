// Covers version requirements (PEP 440): which versions match, and which texts are no requirement.
import { expect, test } from 'vitest';
import { meetsRequirement, parseVersionRequirement } from './version-requirement.ts';

test.each([
  ['>=3.10,<3.13', ['3.10.0', '3.12.9'], ['3.9.18', '3.13.0']],
  ['~=3.11', ['3.11.0', '3.14.1'], ['3.10.9', '4.0.0']],
  ['~=3.11.2', ['3.11.2', '3.11.9'], ['3.11.1', '3.12.0']],
  ['==3.11.*', ['3.11.0', '3.11.7'], ['3.12.0', '3.1.1']],
  ['==3.11', ['3.11.0'], ['3.11.2']],
  ['!=3.11.*, >3.9', ['3.12.0', '3.9.1'], ['3.11.4', '3.9.0']],
  ['<=3.12.1', ['3.12.1'], ['3.12.2']],
  ['3.12', ['3.12.0', '3.12.9'], ['3.13.0']],
  ['>= 4.1.0', ['4.1.0', '4.2.2'], ['4.0.5']],
  ['>=3.13.0rc1', ['3.13.0'], ['3.12.9']],
  ['', ['3.1.0'], []],
])('evaluates %j', (text, met, unmet) => {
  const requirement = parseVersionRequirement(text)!;
  expect([...met, ...unmet].filter((version) => meetsRequirement(version, requirement))).toEqual(met);
});

test.each(['^3.9', 'latest', '>=3.*', '~=3', '>= ', '3.x'])('rejects %j', (text) => {
  expect(parseVersionRequirement(text)).toBeNull();
});
