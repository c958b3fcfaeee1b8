// What both ends of a connection between servers prove to each other: TLS with a key that only they have (RFC 5489).
import type { ConnectionOptions, TlsOptions } from 'node:tls';
import type { Secrets } from '../platform/secrets/secrets.ts';

/** Named in the clear at the handshake: it tells nothing but the protocol. */
const IDENTITY = 'pressroom-1';
const PURPOSE = 'cluster';

/** Ephemeral keys, and no certificate. OpenSSL has pre-shared keys with them up to TLS 1.2 only. */
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
      // Whoever has the key is one of ours; there is no certificate with a name to compare.
      checkServerIdentity: () => undefined,
    },
  };
}
