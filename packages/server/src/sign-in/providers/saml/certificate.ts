// The signing certificates of an identity provider, from a file or the setting itself.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError } from '../../../main/config/load-config.ts';
import { messageOf } from '../../../platform/errors.ts';

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Several during a rollover. @throws ConfigError */
export function readCertificates(setting: string): string[] {
  try {
    const text = setting.includes('-----BEGIN') ? setting : readFileSync(setting, 'utf8');
    const found = text.match(PEM) ?? [];
    if (found.length === 0) throw new Error('it does not contain a certificate');
    return found.map((pem) => new X509Certificate(pem).toString());
  } catch (cause) {
    throw new ConfigError(`SAML.Certificate: ${messageOf(cause)}`, { cause });
  }
}
