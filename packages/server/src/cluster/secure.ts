// Mutual authentication between servers: TLS with a pre-shared key (RFC 5489).
import type { ConnectionOptions, TlsOptions } from 'node:tls';
import type { Secrets } from '../platform/secrets/secrets.ts';

/** Sent in clear at the handshake: reveals only the protocol. */
const IDENTITY = 'pressroom-1';
const PURPOSE = 'cluster';

/** Ephemeral keys without certificates. OpenSSL supports these with pre-shared keys up to TLS 1.2 only. */
const COMMON = {
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
} as const;

export interface ClusterKeys {
  readonly listening: TlsOptions;
  readonly connecting: ConnectionOptions;
}

export function clusterKeys(secrets: Pick<Secrets, 'derive'>): ClusterKeys {
  const psk = Buffer.from(secrets.derive(PURPOSE));
  return {
    listening: { ...COMMON, pskCallback: (_socket, identity) => (identity === IDENTITY ? psk : null) },
    connecting: {
      ...COMMON,
      pskCallback: () => ({ psk, identity: IDENTITY }),
      // The key authenticates the server; there is no certificate with a name to compare.
      checkServerIdentity: () => undefined,
    },
  };
}
