// Re-encrypts secrets with the current key, so that old keys can be removed.
import { listSealedSources, replaceSealedSource } from '../content/package-sources/store.ts';
import { listSealed, replaceSealed } from '../content/variables/store.ts';
import { listRepositories, replaceRepositorySealed } from '../git/store.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import {
  packageSourceContext,
  repositoryContext,
  totpContext,
  variableContext,
} from '../platform/secrets/sealed-contexts.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { listTotps, replaceTotpSecret } from '../sign-in/second-factors/store.ts';

/** Rows per transaction. */
const AT_ONCE = 200;

interface Sealed {
  readonly sealed: string;
  readonly context: string;
  /** False if it was changed meanwhile. */
  replace(db: Executor, sealed: string): Promise<boolean>;
}

/** Returns the number of re-encrypted values. Values that no key decrypts stay; `unreadable` says whose they are. */
export async function renewSealed(
  storage: Storage,
  secrets: Secrets,
): Promise<{ renewed: number; unreadable: string[] }> {
  let renewed = 0;
  const unreadable: string[] = [];
  const old = (await allSealed(storage.db)).filter(({ sealed }) => !secrets.isCurrent(sealed));
  for (let at = 0; at < old.length; at += AT_ONCE) {
    const turn = old.slice(at, at + AT_ONCE);
    await storage.write(async (tx) => {
      for (const { sealed, context, replace } of turn) {
        let plain: string;
        try {
          plain = secrets.decrypt(sealed, context);
        } catch {
          unreadable.push(context);
          continue;
        }
        if (await replace(tx, secrets.encrypt(plain, context))) renewed += 1;
      }
    });
  }
  return { renewed, unreadable };
}

async function allSealed(db: Executor): Promise<Sealed[]> {
  const variables = (await listSealed(db)).map((row) => ({
    sealed: row.value,
    context: variableContext(row.content_guid, row.name),
    replace: (tx: Executor, sealed: string) => replaceSealed(tx, row, sealed),
  }));
  const authenticators = (await listTotps(db)).map((row) => ({
    sealed: row.secret,
    context: totpContext(row.user_guid),
    replace: (tx: Executor, sealed: string) => replaceTotpSecret(tx, row, sealed),
  }));
  const repositories = (await listRepositories(db)).flatMap((row) =>
    (['token', 'secret', 'ssh_key'] as const).flatMap((what) => {
      const sealed = row[what];
      if (sealed === null) return [];
      const context = repositoryContext(row.content_guid, what);
      const replace = (tx: Executor, by: string) =>
        replaceRepositorySealed(tx, row.content_guid, what, { sealed, by });
      return [{ sealed, context, replace }];
    }),
  );
  const packages = (await listSealedSources(db)).map((row) => ({
    sealed: row.password ?? '',
    context: packageSourceContext(row.content_guid, row.language, row.address),
    replace: (tx: Executor, sealed: string) => replaceSealedSource(tx, row, sealed),
  }));
  return [...variables, ...authenticators, ...repositories, ...packages];
}
