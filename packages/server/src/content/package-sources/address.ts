// Addresses of package repositories: checked as text when set, and as resolved IP addresses on every request.
import { realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { errors } from '@pressroom/api/contract';
import { isSecure } from '../../main/config/addresses.ts';
import { listOf } from '../../main/config/setting-kinds.ts';
import type { Config } from '../../main/config/settings.ts';

/** Stands for the repositories of the server. */
export const SERVER = 'server';

/**
 * Normalised for storage. @throws ApiError 25 for an invalid address, or one with a user, password, query or fragment;
 * 22 for a directory that no administrator allowed
 */
export function sourceAddress(text: string, config: Config): string {
  if (text === SERVER) return SERVER;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url === null || !(isWeb || url.protocol === 'file:') || /[\s\\,\p{Cc}]/u.test(text))
    throw refused('a package repository is an https://, http:// or file:// address, or server');
  if (url.username !== '' || url.password !== '')
    throw refused('an address must not contain a user or a password: send them as username and password');
  if (url.search !== '' || url.hash !== '') throw refused('an address must not have a query or a fragment');
  if (isWeb) return url.href;
  const directory = isFileHere(url) ? allowedDirectory(url, config) : null;
  if (directory === null)
    throw errors.operationDenied({
      message: 'an administrator allows no packages of this directory (Packages.ContentDirectories)',
    });
  return url.href;
}

/** @throws ApiError 25 if a password would be sent unencrypted */
export function requireSecure(address: string): void {
  if (!/^https?:/.test(address) || !isSecure(new URL(address), 'http:'))
    throw refused('a password is sent over https:// only');
}

/** As a file URL with links resolved; null for a directory outside those that an administrator allowed. */
export function allowedDirectory(url: URL, config: Config): string | null {
  try {
    const path = realpathSync(fileURLToPath(url));
    const isAllowed = listOf(config['Packages.ContentDirectories']).some((directory) => {
      const real = realpathSync(directory);
      return path === real || path.startsWith(real.endsWith(sep) ? real : `${real}${sep}`);
    });
    return isAllowed ? pathToFileURL(path).href : null;
  } catch {
    return null;
  }
}

const isFileHere = ({ host }: URL) => host === '' || host === 'localhost';
const refused = (message: string) => errors.invalidParameter({ message, field: 'address' });
