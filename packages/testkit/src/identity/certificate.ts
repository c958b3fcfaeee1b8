// Self-signed certificates for test servers.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TestCertificate {
  /** PEM. */
  readonly key: string;
  readonly certificate: string;
}

/** @param host a name, or 127.0.0.1 */
export function testCertificate(host: string): TestCertificate {
  const directory = mkdtempSync(join(tmpdir(), 'pressroom-certificate-'));
  try {
    const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
    const name = /^[\d.]+$/.test(host) ? `IP:${host}` : `DNS:${host}`;
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];
    const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=${name}`];
    execFileSync('openssl', [...request, ...subject, '-keyout', key, '-out', certificate], {
      stdio: 'ignore',
    });
    return { key: readFileSync(key, 'utf8'), certificate: readFileSync(certificate, 'utf8') };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
