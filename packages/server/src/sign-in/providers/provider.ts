// The port of a sign-in provider: how people sign in, what it says about them, and directory search.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Provider } from '@pressroom/api/contract';
import type { Config } from '../../main/config/settings.ts';
import type { Directory, RemoteGroup } from '../../people/directory.ts';
import type { UserRow } from '../../people/store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/database/storage.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { AskPam } from '../../runtime/sandbox/supervisor/supervisor.ts';
import type { Passwords } from '../passwords/passwords.ts';

export type ProfileField = 'email' | 'first_name' | 'last_name';

/** A person vouched for by the provider. Missing fields stay as they are here. */
export interface VouchedPerson {
  /** Null if the provider identifies people by name only. */
  readonly unique_id: string | null;
  /** An earlier id of the same person, from an account created before their first visit. */
  readonly invited_as?: string;
  readonly username: string;
  readonly profile: { readonly [F in ProfileField]?: string };
  /** All groups of the person; absent if groups are managed here. */
  readonly groups?: readonly RemoteGroup[];
}

/** The result of a correct sign-in: an account of this server, or a person of the provider. */
export type Proof = { readonly account: UserRow } | { readonly person: VouchedPerson };

/** Sign-in with username and password on our own page. */
export interface FormSignIn {
  readonly by: 'form';
  /** Takes the same time for unknown people as for a wrong password. @throws ApiError 30, 63 */
  check(username: string, password: string): Promise<Proof>;
}

/** Sign-in at the provider, which redirects to `/__login__/callback`. */
export interface RedirectSignIn {
  readonly by: 'redirect';
  /** Where to redirect, and state to keep until the visitor returns with `state`. */
  begin(): Promise<{ readonly location: string; readonly attempt: Attempt }>;
  /** @param response query of the callback. @throws ApiError 30, 60, 91, 98 */
  finish(response: URLSearchParams, attempt: Attempt): Promise<VouchedPerson>;
  /**
   * Converts a posted response to the query of a callback. Posts from other sites carry no cookies.
   * @param visitor address it came from
   */
  receive?(form: URLSearchParams, visitor: string): Promise<URLSearchParams>;
  /** The service provider's metadata as XML. */
  metadata?(): string;
  /** The page where people end their session at the provider; null if it has none or does not respond. */
  signOutPage?(): Promise<string | null>;
}
export type Attempt = Readonly<Record<string, string>> & { readonly state: string };

/** Sign-in by headers of a trusted proxy. */
export interface HeaderSignIn {
  readonly by: 'header';
  /**
   * Removes such headers unless they come from a trusted proxy; code after it may trust them. Of what does, it removes the
   * password that was for the proxy.
   */
  scrub(request: IncomingMessage): void;
  /** Null if the headers name nobody. @throws ApiError 91, 129 */
  read(headers: IncomingHttpHeaders): VouchedPerson | null;
  /** The sign-in headers, in lower case. */
  readonly names: readonly string[];
  readonly signOutUrl: string;
}

export interface SignInProvider extends AsyncDisposable {
  readonly kind: Provider;
  readonly signIn: FormSignIn | RedirectSignIn | HeaderSignIn;
  /** Profile fields managed by the provider, which cannot be changed here. */
  readonly profileFields: readonly ProfileField[];
  /** Whether accounts created by an administrator need the provider's id. */
  readonly needsUniqueId: boolean;
  /**
   * Which groups count: those of this server; those of the directory that were added here; all that the provider names.
   */
  readonly groups: 'kept' | 'added' | 'provisioned';
  /**
   * Whether the owner of the account `known` is somebody else than the person with this username. Asked if the two differ
   * in case only; absent where the provider's own names ignore case.
   */
  isSomebodyElse?(known: string, username: string): boolean;
  /** Directory to search for people and groups without an account. */
  readonly directory: Directory | null;
  /** Checks that the provider responds; absent if it is never contacted. @throws why nobody could sign in */
  reach?(): Promise<void>;
}

export interface ProviderParts {
  /** Asks PAM if this process may not. */
  readonly askPam?: AskPam | undefined;
  readonly config: Config;
  readonly storage: Storage;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/** Creates a provider from the settings. @throws ConfigError naming the missing or wrong setting. */
export type CreateProvider = (parts: ProviderParts) => SignInProvider;
