// The configured address of content: an origin for each item (`https://*.content.example.com`), one for all, or none.
import { ConfigError } from '../main/config/load-config.ts';
import type { Config } from '../main/config/settings.ts';

export type ContentAddress =
  | { readonly kind: 'none' }
  /** One origin for all content. */
  | { readonly kind: 'fixed'; readonly origin: string; readonly host: string }
  /** An origin for each item: its label replaces the `*`. */
  | { readonly kind: 'each'; readonly scheme: string; readonly suffix: string };

/** @throws if the settings contradict each other. */
export function readContentAddress(config: Config): ContentAddress {
  const given = config['Server.ContentAddress'];
  if (given === '') return { kind: 'none' };
  const address = config['Server.Address'];
  if (address === '') throw new ConfigError('Server.ContentAddress requires Server.Address');
  if (config['Server.ContentOrigin'] === 'shared')
    throw new ConfigError(
      'Server.ContentAddress has no effect while Server.ContentOrigin is "shared": remove one',
    );
  const { origin, host, protocol, hostname } = new URL(given);
  if (origin !== given) {
    throw new ConfigError('Server.ContentAddress must be an origin, such as https://*.content.example.com');
  }
  if (host === new URL(address).host)
    throw new ConfigError('Server.ContentAddress must not be the address of the server');
  if (!host.includes('*')) return { kind: 'fixed', origin, host };
  const isWild = /^\*\.[^*]+$/.test(hostname);
  if (!isWild)
    throw new ConfigError(
      'Server.ContentAddress may have one *, as its first label: https://*.content.example.com',
    );
  return { kind: 'each', scheme: protocol.slice(0, -1), suffix: host.slice(1) };
}

/** The host label of an item: its GUID. */
export function labelOf(guid: string): string {
  return `c${guid.replaceAll('-', '')}`;
}

/** The GUID of a label; null for other names. */
export function guidOfLabel(label: string): string | null {
  const parts = /^c([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(label);
  return parts && parts.slice(1).join('-');
}

/** The base of content addresses in responses: the one origin of content if there is one, else the server's. */
export function contentBaseOf(config: Config, base: string): string {
  const address = readContentAddress(config);
  return address.kind === 'fixed' ? address.origin : base;
}
