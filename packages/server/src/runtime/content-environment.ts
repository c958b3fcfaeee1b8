// Environment variables of content: the publisher's, and those of the server.
import type { Logger } from 'pino';
import type { ContentKeys } from '../content/content-keys.ts';
import type { ContentRow } from '../content/store.ts';
import { isVariableName } from '../content/variables/names.ts';
import { listVariables } from '../content/variables/store.ts';
import type { Storage } from '../platform/database/storage.ts';
import { messageOf } from '../platform/errors.ts';
import { variableContext } from '../platform/secrets/sealed-contexts.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';

export interface ContentEnvironment {
  of(content: ContentRow): Promise<Record<string, string>>;
  /** Secrets that no output may show: the values of its variables, and its key. */
  secretsOf(content: ContentRow): Promise<string[]>;
}

/** Common to all content. */
export const COMMON: Readonly<Record<string, string>> = {
  RSTUDIO_PRODUCT: 'CONNECT',
  // Newer clients look for this one.
  POSIT_PRODUCT: 'CONNECT',
  R_CONFIG_ACTIVE: 'rsconnect',
  // The server restored the packages: the project's own library manager must not install others.
  RENV_CONFIG_AUTOLOADER_ENABLED: 'FALSE',
};

export interface ContentEnvironmentOptions {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly keys: ContentKeys;
  /** Address of this server for its content. */
  readonly address: () => string;
  readonly log: Logger;
}

export function createContentEnvironment(options: ContentEnvironmentOptions): ContentEnvironment {
  const { storage, secrets, keys, address, log } = options;
  const logged = new Set<string>();

  /** Names that older versions allowed. */
  function leaveOut(guid: string, name: string): void {
    const key = `${guid}/${name}`;
    if (logged.has(key)) return;
    logged.add(key);
    log.warn({ content: guid, variable: name }, 'skipped a variable with a prohibited name');
  }

  /** The message is in the log of the content, for its owner. */
  function open(guid: string, name: string, value: string): string {
    try {
      return secrets.decrypt(value, variableContext(guid, name));
    } catch (cause) {
      throw new Error(`the variable ${name} cannot be decrypted: ${messageOf(cause)}`, { cause });
    }
  }

  async function ownOf(content: ContentRow): Promise<Record<string, string>> {
    const variables = await listVariables(storage.db, content.guid);
    const own = variables.flatMap(({ name, value }) => {
      if (isVariableName(name)) return [[name, open(content.guid, name, value)]];
      leaveOut(content.guid, name);
      return [];
    });
    return Object.fromEntries(own) as Record<string, string>;
  }

  return {
    async secretsOf(content) {
      return [...Object.values(await ownOf(content)), await keys.keyFor(content)];
    },
    async of(content) {
      const own = await ownOf(content);
      return {
        CONNECT_API_KEY: await keys.keyFor(content),
        ...own,
        ...COMMON,
        CONNECT_SERVER: `${address()}/`,
        CONNECT_CONTENT_GUID: content.guid,
      };
    },
  };
}
