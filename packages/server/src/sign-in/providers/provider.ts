// What a provider is: how people sign in with it, what it says about them, and where else it can look.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Provider } from '@pressroom/api/contract';
import type { Config } from '../../main/config/settings.ts';
import type { Directory, RemoteGroup } from '../../people/directory.ts';
import type { UserRow } from '../../people/store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/database/storage.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { Passwords } from '../passwords/passwords.ts';

export type ProfileField = 'email' | 'first_name' | 'last_name';

/** Somebody the provider vouches for. What it does not say is left as it is here. */
export interface VouchedPerson {
  /** Null where the provider knows people by name only. */
  readonly unique_id: string | null;
  /** An earlier id of the same person, given to an account before its owner first came. */
  readonly invited_as?: string;
  readonly username: string;
  readonly profile: { readonly [F in ProfileField]?: string };
  /** All groups the person is in; absent where groups are kept here. */
  readonly groups?: readonly RemoteGroup[];
}

/** Whose credentials were right: an account kept here, or somebody of the provider's. */
export type Proof = { readonly account: UserRow } | { readonly person: VouchedPerson };

/** A username and a password, typed into our own page. */
export interface FormSignIn {
  readonly by: 'form';
  /** Takes as long for somebody unknown as for a wrong password. @throws ApiError 30, 63 */
  check(username: string, password: string): Promise<Proof>;
}

/** The visitor goes to the provider and comes back to `/__login__/callback`. */
export interface RedirectSignIn {
  readonly by: 'redirect';
  /** Where to go, and what must be remembered of it until the visitor is back: the callback has its `state`. */
  begin(): Promise<{ readonly location: string; readonly attempt: Attempt }>;
  /** @param answer the query of the callback. @throws ApiError 30, 60, 91, 98 */
  finish(answer: URLSearchParams, attempt: Attempt): Promise<VouchedPerson>;
  /**
   * Turns an answer that was posted into the query of a callback. Other sites post without our cookies.
   * @param visitor the address that it came from
   */
  receive?(form: URLSearchParams, visitor: string): Promise<URLSearchParams>;
  /** What the provider must know of this server, as XML. */
  metadata?(): string;
}
export type Attempt = Readonly<Record<string, string>> & { readonly state: string };

/** A proxy in front says in headers who is visiting. */
export interface HeaderSignIn {
  readonly by: 'header';
  /** Takes the headers out that did not come from a trusted proxy; everything behind it may believe them. */
  scrub(request: IncomingMessage): void;
  /** Null where the headers name nobody. @throws ApiError 91, 129 */
  read(headers: IncomingHttpHeaders): VouchedPerson | null;
  /** The headers that say who is visiting, in lower case. */
  readonly names: readonly string[];
  readonly signOutUrl: string;
}

export interface SignInProvider extends AsyncDisposable {
  readonly kind: Provider;
  readonly signIn: FormSignIn | RedirectSignIn | HeaderSignIn;
  /** What of a profile comes from the provider, and cannot be changed here. */
  readonly profileFields: readonly ProfileField[];
  /** Accounts made by an administrator need the id that the provider will know them by. */
  readonly needsUniqueId: boolean;
  /** Whose groups count: those kept here; those of the directory that were added here; all that the provider names. */
  readonly groups: 'kept' | 'added' | 'provisioned';
  /** Where people and groups without an account are looked for. */
  readonly directory: Directory | null;
  /** Asks it what every sign-in asks it; absent where it is asked nothing. @throws why nobody could sign in */
  reach?(): Promise<void>;
}

export interface ProviderParts {
  /** Asks PAM where this process may not: the name of the account, null where PAM refuses. */
  readonly askPam?: ((username: string, password: string) => Promise<string | null>) | undefined;
  readonly config: Config;
  readonly storage: Storage;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/** Makes a provider from its settings. @throws ConfigError naming the setting that is missing or wrong. */
export type CreateProvider = (parts: ProviderParts) => SignInProvider;
