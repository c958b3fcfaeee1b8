// Sets the package repositories of a content item.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../../audit/record.ts';
import type { ApiRequest } from '../../http/request.ts';
import type { Config } from '../../main/config/settings.ts';
import type { Storage } from '../../platform/database/storage.ts';
import { packageSourceContext } from '../../platform/secrets/sealed-contexts.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { loadContent } from '../commands.ts';
import { aboutContent } from '../store.ts';
import { requireSecure, SERVER, sourceAddress } from './address.ts';
import { listPackageSources, savePackageSources, type PackageSourceRow } from './store.ts';

export interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly audit: Audit;
  readonly secrets: Secrets;
}

type Wanted = ApiRequest<'setPackageSources'>['body']['sources'][number];

/** @throws ApiError 21, 22, 25 */
export async function setPackageSources(
  { config, storage, audit, secrets }: Parts,
  caller: Caller,
  guid: string,
  wanted: readonly Wanted[],
): Promise<PackageSourceRow[]> {
  return storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'manageEnvironment');
    // A content key may not set them: they outlive the key.
    if (caller.limits !== undefined)
      throw errors.operationDenied({ message: 'an API key with limits cannot change package repositories' });
    if (!config['Packages.ContentSources'] && wanted.length > 0)
      throw errors.operationDenied({
        message:
          'an administrator lets no content have package repositories of its own (Packages.ContentSources)',
      });
    const before = await listPackageSources(tx, content.guid);
    const rows: PackageSourceRow[] = [];
    for (const [position, one] of wanted.entries()) {
      const address = sourceAddress(one.address, config);
      const { language } = one;
      if (rows.some((row) => row.language === language && row.address === address))
        throw errors.invalidParameter({ message: `${address} is named twice`, field: 'address' });
      const username = one.username || null;
      const context = packageSourceContext(content.guid, language, address);
      const known = before.find(
        (row) => row.language === language && row.address === address && row.username === username,
      );
      const password =
        one.password === undefined
          ? (known?.password ?? null)
          : one.password === null
            ? null
            : secrets.encrypt(one.password, context);
      if (address === SERVER && (password ?? username) !== null)
        throw errors.invalidParameter({ message: 'the repositories of the server have their own passwords' });
      if (password !== null) requireSecure(address);
      rows.push({ content_guid: content.guid, position, language, address, username, password });
    }
    await savePackageSources(tx, content.guid, rows);
    const list = rows.map(({ language, address }) => `${language} ${address}`).join(', ');
    const description = `Set the package repositories of content ${content.name} (${content.guid}): ${list || 'those of the server'}`;
    await audit(tx, caller, 'edit_application', description, { content: content.guid });
    return rows;
  }, aboutContent(guid));
}
