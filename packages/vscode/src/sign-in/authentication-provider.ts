// Server accounts in the editor's Accounts menu, with sign-in and sign-out.
import { normalizeServerUrl } from '@pressroom/api/client';
import {
  authentication,
  EventEmitter,
  l10n,
  type AuthenticationProvider,
  type AuthenticationProviderAuthenticationSessionsChangeEvent,
  type AuthenticationSession,
  type Disposable,
} from 'vscode';
import { hostOf } from '../ui/texts.ts';
import type { Account, Keys } from './keys.ts';
import type { SignIn } from './sign-in.ts';

export const PROVIDER = 'pressroom';

/** A session is one account on one server; its scope is the server's address. */
export function registerAuthentication(keys: Keys, signIn: SignIn): Disposable {
  const changed = new EventEmitter<AuthenticationProviderAuthenticationSessionsChangeEvent>();

  async function sessionOf(account: Account): Promise<AuthenticationSession | undefined> {
    const accessToken = await keys.get(account.server);
    return accessToken === undefined ? undefined : session(account, accessToken);
  }

  const provider: AuthenticationProvider = {
    onDidChangeSessions: changed.event,
    async getSessions(scopes) {
      const wanted = scopes?.[0] === undefined ? undefined : normalizeServerUrl(scopes[0]);
      const accounts = keys.accounts().filter(({ server }) => wanted === undefined || server === wanted);
      const sessions = await Promise.all(accounts.map(sessionOf));
      return sessions.filter((item) => item !== undefined);
    },
    async createSession(scopes) {
      const [wanted] = scopes;
      const server =
        wanted === undefined
          ? await signIn.server()
          : (await signIn.key(wanted)) === true
            ? wanted
            : undefined;
      const account = keys.accounts().find((item) => item.server === (server && normalizeServerUrl(server)));
      const made = account && (await sessionOf(account));
      if (made === undefined) throw new Error(l10n.t('The sign-in was cancelled.'));
      return made;
    },
    removeSession: async (server) => void (await keys.remove(server)),
  };
  const registration = authentication.registerAuthenticationProvider(PROVIDER, 'Pressroom', provider, {
    supportsMultipleAccounts: true,
  });
  const subscription = keys.onDidChange(({ added, removed }) =>
    changed.fire({
      added: added && [session(added, '')],
      removed: removed && [session(removed, '')],
      changed: undefined,
    }),
  );
  return { dispose: () => (subscription.dispose(), registration.dispose()) };
}

function session({ server, username }: Account, accessToken: string): AuthenticationSession {
  const label = username === '' ? hostOf(server) : `${username} (${hostOf(server)})`;
  return { id: server, accessToken, account: { id: server, label }, scopes: [server] };
}
