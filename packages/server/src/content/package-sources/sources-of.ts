// The package repositories of a content item for a restore, with their passwords.
import { errors } from '@pressroom/api/contract';
import type { Config } from '../../main/config/settings.ts';
import type { Storage } from '../../platform/database/storage.ts';
import { packageSourceContext } from '../../platform/secrets/sealed-contexts.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { OwnSource } from '../../runtime/restore/own-sources.ts';
import { allowedDirectory, SERVER } from './address.ts';
import { listPackageSources } from './store.ts';

/**
 * In lookup order; empty for content that uses the server's repositories. @throws ApiError 22 for one that is no longer
 * allowed
 */
export type SourcesOf = (contentGuid: string) => Promise<OwnSource[]>;

export function createSourcesOf({ db }: Pick<Storage, 'db'>, secrets: Secrets, config: Config): SourcesOf {
  return async (guid) => {
    const rows = await listPackageSources(db, guid);
    if (rows.length > 0 && !config['Packages.ContentSources'])
      throw errors.operationDenied({
        message:
          'this content has package repositories of its own, which an administrator no longer allows (Packages.ContentSources)',
      });
    return rows.map(({ language, address, username, password }) => {
      const named = language === 'r' ? 'R' : 'Python';
      if (address === SERVER) return { language: named, address: null, authorization: null };
      const isFile = address.startsWith('file:');
      const directory = isFile ? allowedDirectory(new URL(address), config) : null;
      if (isFile && directory === null)
        throw errors.operationDenied({
          message: `an administrator no longer allows packages of ${address} (Packages.ContentDirectories)`,
        });
      const secret =
        password === null ? null : secrets.decrypt(password, packageSourceContext(guid, language, address));
      const pair = `${username ?? ''}:${secret ?? ''}`;
      const authorization = pair === ':' ? null : `Basic ${Buffer.from(pair).toString('base64')}`;
      return { language: named, address: directory ?? address, authorization };
    });
  };
}
