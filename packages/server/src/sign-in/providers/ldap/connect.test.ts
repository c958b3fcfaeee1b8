// Covers which files hold the CA certificates for a directory.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, expect, test } from 'vitest';
import type { Config } from '../../../main/config/settings.ts';
import { createLdapConnector } from './connect.ts';

test.each(['CERTIFICATE', 'TRUSTED CERTIFICATE', 'X509 CERTIFICATE'])(
  'accepts a file of OpenSSL with a "%s"',
  (label) => {
    const directory = mkdtempSync(join(tmpdir(), 'pressroom-ldap-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'ca.pem');
    writeFileSync(file, `-----BEGIN ${label}-----\n-----END ${label}-----\n`);
    const settings = {
      'LDAP.URL': 'ldaps://d.example',
      'LDAP.StartTLS': false,
      'LDAP.Timeout': 1,
      'LDAP.CertificateAuthority': file,
    };
    expect(() => createLdapConnector(settings as Config)).not.toThrow();
  },
);
