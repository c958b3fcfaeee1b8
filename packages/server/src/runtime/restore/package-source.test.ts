// Covers addresses of package repositories: passwords are removed before anyone sees them.
import { expect, test } from 'vitest';
import { packageSource, parseNetrc, readCredentials } from './package-source.ts';

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

test('reads names and passwords by host from a netrc file', () => {
  const credentials = parseNetrc(
    'machine pypi.example.com login ada password s3cret\n# machine old login x password y\nmachine cran.example.com:8443\n  login bob\n  password p#w\n',
  );
  expect(packageSource('https://pypi.example.com/simple', credentials)).toEqual({
    address: 'https://pypi.example.com/simple',
    authorization: basic('ada:s3cret'),
  });
  expect(packageSource('https://cran.example.com:8443/cran', credentials).authorization).toBe(
    basic('bob:p#w'),
  );
  for (const other of ['https://example.com/simple', 'https://old/simple', '/srv/pypi.example.com'])
    expect(packageSource(other, credentials)).toEqual({ address: other, authorization: null });
});

test('credentials in the address take precedence and are removed from it', () => {
  const credentials = parseNetrc('machine pypi.example.com login ada password s3cret');
  expect(packageSource('https://me:s%40cret@pypi.example.com/simple', credentials)).toEqual({
    address: 'https://pypi.example.com/simple',
    authorization: basic('me:s@cret'),
  });
});

test('a deploy fails with the name of the setting if the server cannot read the file', () => {
  expect(() => readCredentials('/nowhere/netrc')).toThrow(
    expect.objectContaining({
      code: 1,
      message: expect.stringMatching(
        /^the server cannot read the file of its setting Packages\.Netrc \(ENOENT\)/,
      ),
    }),
  );
});
