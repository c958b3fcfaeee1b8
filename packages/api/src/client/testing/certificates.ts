// A certificate authority and a server certificate for tests, made with openssl for this run only.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface TestCertificates extends Disposable {
  /** Path of the authority's PEM file. */
  caFile: string;
  ca: string;
  server: { key: string; cert: string };
}

export function makeCertificates(): TestCertificates {
  const dir = mkdtempSync(path.join(tmpdir(), 'pressroom-ca-'));
  const at = (name: string) => path.join(dir, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.pem'),
    '-days',
    '2',
    '-subj',
    '/CN=Pressroom test CA',
  );
  openssl('req', ...key, '-keyout', at('server.key'), '-out', at('server.csr'), '-subj', '/CN=127.0.0.1');
  writeFileSync(at('ext'), 'subjectAltName=IP:127.0.0.1\n');
  const sign = [
    '-CA',
    at('ca.pem'),
    '-CAkey',
    at('ca.key'),
    '-CAcreateserial',
    '-days',
    '2',
    '-extfile',
    at('ext'),
  ];
  openssl('x509', '-req', '-in', at('server.csr'), ...sign, '-out', at('server.pem'));
  return {
    caFile: at('ca.pem'),
    ca: readFileSync(at('ca.pem'), 'utf8'),
    server: { key: readFileSync(at('server.key'), 'utf8'), cert: readFileSync(at('server.pem'), 'utf8') },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}
