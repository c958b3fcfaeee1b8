// Covers the output of several uv versions, and the message made of it.
import { expect, test } from 'vitest';
import type { Requirements } from './python-requirements.ts';
import { pipConfiguration, uvCanInstall, uvCause, uvEnvironment, withoutWheel } from './uv.ts';

test.each([
  [
    'no such version',
    [
      'Using Python 3.11.2 environment at: v',
      'error: No solution found when resolving dependencies',
      '  cause: Because there is no version of pandaz==3 and you require pandaz==3, we can conclude that your requirements are unsatisfiable.',
    ],
    'Because there is no version of pandaz==3 and you require pandaz==3, we can conclude that your requirements are unsatisfiable.',
  ],
  [
    'no such version, from an older uv',
    [
      '  × No solution found when resolving dependencies:',
      '  ╰─▶ Because there is no version of pandaz==3 and you require pandaz==3, we can',
      '      conclude that your requirements are unsatisfiable.',
    ],
    'Because there is no version of pandaz==3 and you require pandaz==3, we can conclude that your requirements are unsatisfiable.',
  ],
  [
    'an unreachable index',
    [
      'error: Request failed after 3 retries in 7.0s',
      '  cause: Failed to fetch: http://127.0.0.1:1/simple/gamma/',
      '  cause: error sending request for url (http://127.0.0.1:1/simple/gamma/)',
      '  cause: client error (Connect)',
    ],
    'unreachable',
  ],
  [
    'a failed build',
    [
      'error: Failed to download and build `own==1.0`',
      '  cause: The build backend returned an error',
      '  cause: Call to `setuptools.build_meta.build_wheel` failed (exit status: 1)',
      '[stderr]',
      'Traceback (most recent call last):',
      '  File "setup.py", line 2, in <module>',
      'RuntimeError: no compiler here',
    ],
    'own: RuntimeError: no compiler here (setup.py, line 2)',
  ],
  [
    'a build that says what to do, wrapped so that a line is the word "error"',
    [
      '  × Failed to build `sklearn==0.0.post12`',
      '  ├─▶ The build backend returned an error',
      '  ╰─▶ Call to `setuptools.build_meta:__legacy__.build_wheel` failed (exit',
      '      status: 1)',
      '',
      '      [stderr]',
      "      The 'sklearn' PyPI package is deprecated, use 'scikit-learn'",
      "      rather than 'sklearn' for pip commands.",
      '        SKLEARN_ALLOW_DEPRECATED_SKLEARN_PACKAGE_INSTALL=True to avoid this',
      '        error',
    ],
    "The 'sklearn' PyPI package is deprecated, use 'scikit-learn'",
  ],
  [
    'a hash mismatch',
    ['error: Failed to download `six==1.16.0`', '  cause: Hash mismatch for `six==1.16.0`'],
    'Hash mismatch for `six==1.16.0`',
  ],
  [
    'a hash mismatch, from an older uv',
    [
      '  × Failed to download `six==1.16.0`',
      '  ╰─▶ Hash mismatch for `six==1.16.0`',
      '',
      '      Expected:',
      '        sha256:00',
    ],
    'Hash mismatch for `six==1.16.0`',
  ],
  ['empty output', [], 'uv was killed by SIGKILL'],
])('finds the cause in the output of uv: %s', (_what, lines, cause) => {
  expect(uvCause(lines, 'was killed by SIGKILL')).toBe(cause);
});

test('names a package without a wheel', () => {
  expect(withoutWheel(['hint: Wheels are required for `own` because building from source is disabled'])).toBe(
    'own',
  );
  expect(withoutWheel(['error: No solution found'])).toBeNull();
});

test('passes only requirements to uv that it reads as pip does', () => {
  const asked = { file: 'requirements.txt', text: '', constraints: [], wheels: [], others: [] };
  const can = (lines: string[], reach: Requirements['reach'] = 'names') =>
    uvCanInstall({ ...asked, reach, lines });
  expect(
    can(['six', '', 'a[b]>=1; python_version < "3"', '--only-binary :all:', 'x==1 --hash=sha256:00']),
  ).toBe(true);
  expect(can(['--extra-index-url https://a.example/simple', '-i https://b.example'], 'index')).toBe(true);
  for (const option of ['--pre', '--prefer-binary', '--require-hashes', '--trusted-host a'])
    expect(can([option]), option).toBe(false);
  expect(can(['./own'], 'bundle')).toBe(false);
});

test('takes over the configuration of pip', () => {
  const printed = [
    "global.cert='/etc/ssl/certs/ca-certificates.crt'",
    "global.index-url='https://pypi.example.com/simple'",
    "install.find-links='/opt/wheels\\n/opt/more'",
    "global.proxy='http://proxy.example.com:3128'",
  ];
  expect(pipConfiguration(printed)).toEqual({
    'index-url': 'https://pypi.example.com/simple',
    'extra-index-url': '',
    'find-links': '/opt/wheels\\n/opt/more',
    proxy: 'http://proxy.example.com:3128',
  });
});

test('uv takes the proxy that pip is set up with', () => {
  const proxy = 'http://proxy.example.com:3128';
  expect(uvEnvironment('', [], proxy)).toMatchObject({ ALL_PROXY: proxy });
  expect(uvEnvironment('', [], '')).not.toHaveProperty('ALL_PROXY');
});
