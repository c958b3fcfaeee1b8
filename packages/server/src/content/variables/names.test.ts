// Covers names of content variables (H8).
import { expect, test } from 'vitest';
import { isVariableName } from './names.ts';

test.each(
  [
    ['BASH_FUNC_umask%%', 'A\nB', 'A B', '', '1A', 'A.B', 'A=B', 'A\0', 'Ä', 'A'.repeat(256)],
    ['LD_PRELOAD', 'ld_preload', 'LD_', 'ENV', 'env', 'PS4', 'SHELLOPTS', 'BASHOPTS', 'BASH_ENV', 'IFS'],
    ['PROMPT_COMMAND', 'GLIBC_TUNABLES', 'MALLOC_TRACE', 'GCONV_PATH', 'POSIXLY_CORRECT', 'R_HOME'],
    [
      'PATH',
      'Home',
      'TMPDIR',
      'USER',
      'CONNECT_SERVER',
      'CONNECT_API_KEY_2',
      'RSTUDIO_PRODUCT',
      'POSIT_PRODUCT',
      'NODE_OPTIONS',
    ],
  ].flat(),
)('H8: rejects %j as the name of a content variable', (name) => {
  expect(isVariableName(name)).toBe(false);
});

test.each([
  'TOKEN',
  '_x',
  'db_Password2',
  'LDAP_URL',
  'ENVIRONMENT',
  'HOMEPAGE',
  'PYTHONPATH',
  'TZ',
  'CONNECT_API_KEY',
  'A'.repeat(255),
])('accepts %s', (name) => {
  expect(isVariableName(name)).toBe(true);
});
