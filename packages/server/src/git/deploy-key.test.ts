import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fingerprintOf, makeDeployKey, readDeployKey } from './deploy-key.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pressroom-deploy-key-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});
const keygen = (...args: string[]) => execFileSync('ssh-keygen', args, { encoding: 'utf8' });

test('creates a key pair that OpenSSH reads, with its fingerprint', () => {
  const { privateKey, publicKey } = makeDeployKey('pressroom-sales');
  const file = join(directory, 'made');
  writeFileSync(file, privateKey, { mode: 0o600 });
  expect(keygen('-y', '-f', file).trim()).toBe(publicKey);
  expect(keygen('-l', '-f', file)).toContain(fingerprintOf(publicKey).split(' ')[1]);
});

test.each(['ed25519', 'ecdsa', 'rsa'])('accepts a private key of ssh-keygen: %s', (type) => {
  const file = join(directory, type);
  keygen('-q', '-t', type, '-N', '', '-C', 'x', '-f', file);
  const [kind, base64] = readFileSync(`${file}.pub`, 'utf8').split(' ');
  expect(readDeployKey(readFileSync(file, 'utf8'), 'pressroom').publicKey).toBe(
    `${kind} ${base64} pressroom`,
  );
});

test('rejects keys with a passphrase, truncated keys and other text without showing them', () => {
  const file = join(directory, 'locked');
  keygen('-q', '-t', 'ed25519', '-N', 'a passphrase', '-f', file);
  expect(() => readDeployKey(readFileSync(file, 'utf8'), '')).toThrow('has a passphrase');
  const { privateKey, publicKey } = makeDeployKey('x');
  const lines = privateKey.split('\n');
  const cut = [...lines.slice(0, 2), ...lines.slice(-2)].join('\n');
  for (const wrong of [cut, publicKey, '', 'x'.repeat(5000)]) {
    expect(() => readDeployKey(wrong, '')).toThrow(/^deploy_key (?:must be|is not)/);
  }
});
