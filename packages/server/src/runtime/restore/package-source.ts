// Package repositories: addresses from the settings, with their names and passwords.
import { readFileSync } from 'node:fs';
import { errors } from '@pressroom/api/contract';
import { errnoOf } from '../../platform/errors.ts';

export interface PackageSource {
  /** Without name and password: may be shown, and passed to processes of content. */
  readonly address: string;
  /** Authorization header; null for none. */
  readonly authorization: string | null;
  /** Set by the content itself, not by the settings. */
  readonly isOwn?: true;
}

/** By host, name and password: `ada:secret`. */
export type Credentials = ReadonlyMap<string, string>;

/** @param address a URL, which may have a name and password, or a directory */
export function packageSource(address: string, credentials: Credentials): PackageSource {
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) return { address, authorization: null };
  const url = new URL(address);
  const own = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const pair = own === ':' ? (credentials.get(url.host) ?? credentials.get(url.hostname)) : own;
  const authorization = pair === undefined ? null : `Basic ${Buffer.from(pair).toString('base64')}`;
  // Unchanged without credentials: it is part of the cache key.
  if (own === ':') return { address, authorization };
  url.username = '';
  url.password = '';
  return { address: url.href, authorization };
}

/** @param file in netrc format; empty for none. @throws ApiError 1 that names the setting of an unreadable file */
export function readCredentials(file: string): Credentials {
  try {
    return file === '' ? new Map() : parseNetrc(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw errors.internal({
      message: `the server cannot read the file of its setting Packages.Netrc (${errnoOf(cause)}): its administrator has to correct that`,
      cause,
    });
  }
}

/** `machine HOST login NAME password SECRET`, over any number of lines; `#` starts a comment. */
export function parseNetrc(text: string): Credentials {
  const words = text
    .split(/\r?\n/)
    .flatMap((line) => line.replace(/^\s*#.*$/, '').split(/\s+/))
    .filter((word) => word !== '');
  const found = new Map<string, string>();
  let machine: string | null = null;
  let login = '';
  for (let i = 0; i + 1 < words.length; i += 2) {
    const [key, value = ''] = words.slice(i, i + 2);
    if (key === 'machine') [machine, login] = [value, ''];
    else if (key === 'login') login = value;
    else if (key === 'password' && machine !== null) found.set(machine, `${login}:${value}`);
  }
  return found;
}
