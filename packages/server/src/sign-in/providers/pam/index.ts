// PAM: accounts of the machine, checked by a helper process.
import { errors } from '@pressroom/api/contract';
import { ConfigError } from '../../../main/config/load-config.ts';
import { findAccount } from '../../../runtime/sandbox/accounts.ts';
import type { ProviderParts, SignInProvider } from '../provider.ts';
import { createPamHelper } from './helper-process.ts';
import { missingService } from './missing-service.ts';

const UNUSABLE = 'PAM cannot check anybody on this server: ask an administrator';
const SERVICE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;

export function createPam({ config, askPam }: ProviderParts): SignInProvider {
  const service = config['PAM.Service'];
  if (!SERVICE_NAME.test(service))
    throw new ConfigError('PAM.Service must be the name of a file in /etc/pam.d');
  const helper = askPam ? null : createPamHelper(service);
  const ask = askPam ?? helper!.authenticate;

  /** For the log, unless somebody only mistyped. */
  function reasonFor({ refused, isGuess }: { readonly refused: string; readonly isGuess: boolean }) {
    const missing = missingService(service);
    if (isGuess && missing === null) return {};
    return { cause: new Error(missing ?? `PAM: ${refused}`) };
  }

  return {
    kind: 'pam',
    signIn: {
      by: 'form',
      async check(username, password) {
        const answer = await ask(username, password).catch((cause: unknown) => {
          throw errors.loginFailed({ message: UNUSABLE, cause });
        });
        if ('refused' in answer) throw errors.invalidCredentials(reasonFor(answer));
        return { person: { unique_id: null, username: answer.account, profile: {} } };
      },
    },
    profileFields: [],
    needsUniqueId: false,
    groups: 'kept',
    directory: null,
    isSomebodyElse(known, username) {
      const account = findAccount(known);
      return account !== null && account.uid !== findAccount(username)?.uid;
    },
    async [Symbol.asyncDispose]() {
      await helper?.[Symbol.asyncDispose]();
    },
  };
}
