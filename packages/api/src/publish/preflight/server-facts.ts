// Facts about a server that decide whether content can be published there.
import type { Client } from '../../client/client.ts';
import type { CallOptions } from '../../client/methods.ts';
import type { Language } from '../../contract/kind-row.ts';

/** Unreported facts are undefined: nothing is concluded from them. */
export interface ServerFacts {
  /** Maximum bytes of an archive. */
  readonly maxBundleBytes: number | undefined;
  /** Versions of the requested language; empty if the server does not run it. */
  readonly versions: readonly string[] | undefined;
}

/**
 * Makes at most two requests, one without a language. Never throws: a server may refuse these requests and accept the
 * bundle.
 */
export async function readServerFacts(
  client: Client,
  language: Language | null,
  options: CallOptions = {},
): Promise<ServerFacts> {
  const [settings, versions] = await Promise.all([
    client.getApplicationSettings({}, options).catch(() => undefined),
    language === null ? undefined : versionsOf(client, language, options).catch(() => undefined),
  ]);
  const { max_bundle_size } = (settings ?? {}) as { max_bundle_size?: unknown };
  return {
    maxBundleBytes: typeof max_bundle_size === 'number' && max_bundle_size > 0 ? max_bundle_size : undefined,
    versions,
  };
}

async function versionsOf(client: Client, language: Language, options: CallOptions): Promise<string[]> {
  const { installations } =
    language === 'R'
      ? await client.getRInformation({}, options)
      : await client.getPythonInformation({}, options);
  return installations.map(({ version }) => version);
}
