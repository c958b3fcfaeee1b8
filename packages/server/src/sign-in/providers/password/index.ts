// Passwords stored in the accounts of this server.
import { errors } from '@pressroom/api/contract';
import { findUserByName } from '../../../people/store.ts';
import type { ProviderParts, SignInProvider } from '../provider.ts';

export function createPassword({ storage, passwords }: ProviderParts): SignInProvider {
  return {
    kind: 'password',
    signIn: {
      by: 'form',
      async check(username, password) {
        const account = await findUserByName(storage.db, username);
        const right = await passwords.verify(password, account?.password_hash ?? null);
        // An account without a password cannot sign in: its owner sets one through a link.
        if (!account || !right) throw errors.invalidCredentials();
        return { account };
      },
    },
    profileFields: [],
    needsUniqueId: false,
    groups: 'kept',
    directory: null,
    [Symbol.asyncDispose]: async () => undefined,
  };
}
