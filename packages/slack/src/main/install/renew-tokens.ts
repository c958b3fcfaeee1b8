// The stored installations, with their tokens renewed before they expire.
import type { Installation } from '@slack/bolt';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import { NotInstalled } from '../../deliver/transport/slack-failure.ts';
import type { Store } from '../../store/store.ts';
import type { BotConfig } from '../config.ts';

/** Renewals keep the time of the installation, in milliseconds; those of older bots have none. */
export type Installed = Installation<'v2', false> & { readonly installed_time?: number };

/** Seconds before the expiry of a token at which it is renewed; Bolt's default is two hours. */
const RENEW_BEFORE = 3 * 3600;

export interface RenewalOptions {
  readonly slack: BotConfig['slack'] & { kind: 'oauth' };
  readonly store: Store;
  /** Options of the client for the renewals. */
  readonly options: WebClientOptions;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Reads the installation of a key of the store with a valid token. The function throws NotInstalled. */
export function createRenewal({
  slack,
  store,
  options,
  now,
}: RenewalOptions): (key: string) => Promise<Installed> {
  const renewing = new Map<string, Promise<Installed>>();

  async function stored(key: string): Promise<string> {
    const json = await store.readInstallation(key);
    if (json === null) throw new NotInstalled('the workspace has not installed the app');
    return json;
  }

  const read = async (key: string) => JSON.parse(await stored(key)) as Installed;

  /** Renews the token before Bolt would itself. */
  async function renewed(key: string): Promise<Installed> {
    const before = await stored(key);
    const installed = JSON.parse(before) as Installed;
    const { refreshToken, expiresAt = Infinity } = installed.bot ?? {};
    if (refreshToken === undefined || expiresAt - now() / 1000 > RENEW_BEFORE) return installed;
    let work = renewing.get(key);
    if (!work) {
      // A refresh token is valid once.
      work = renew(key, before, refreshToken).finally(() => renewing.delete(key));
      renewing.set(key, work);
    }
    return work;
  }

  async function renew(key: string, before: string, refresh_token: string): Promise<Installed> {
    const installed = JSON.parse(before) as Installed;
    try {
      const response = await new WebClient(undefined, options).oauth.v2.access({
        client_id: slack.clientId,
        client_secret: slack.clientSecret,
        grant_type: 'refresh_token',
        refresh_token,
      });
      const bot = {
        ...installed.bot!,
        token: response.access_token ?? '',
        refreshToken: response.refresh_token ?? '',
        expiresAt: Math.floor(now() / 1000) + (response.expires_in ?? 0),
      };
      const fresh = { ...installed, bot };
      // Removed or installed again meanwhile: the renewal is of no use.
      return (await store.replaceInstallation(key, before, JSON.stringify(fresh))) ? fresh : await read(key);
    } catch (error) {
      // Another bot of this store was faster; or there is time for another attempt.
      const current = await read(key);
      const isValid = (current.bot?.expiresAt ?? 0) > now() / 1000;
      if (current.bot?.token !== installed.bot?.token || isValid) return current;
      throw error;
    }
  }

  return renewed;
}
