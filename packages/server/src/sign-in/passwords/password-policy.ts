// Password policy: NIST SP 800-63B-4, 3.1.1.2. A minimum length and a blocklist; no composition rules.
import { type ApiError, errors } from '@pressroom/api/contract';
import type { Config } from '../../main/config/settings.ts';
import { isCommonPassword } from './common-passwords.ts';

/** The contract's minimum length of a password set by an administrator (createPushUser). */
const CONTRACT_LENGTH = 6;
/** Characters; longer than anybody types. */
export const MAX_PASSWORD_LENGTH = 1024;

/** A password that its owner chose on a page of the server. @throws ApiError 6 with the reason */
export async function checkChosenPassword(
  config: Config,
  password: string,
  about: readonly string[],
): Promise<void> {
  const least = config['Authentication.PasswordMinLength'];
  requireLength(password, least);
  if (isTooLong(password)) throw weak(`a password has at most ${MAX_PASSWORD_LENGTH} characters`);
  const folded = password.toLowerCase();
  const own = about.some((word) => word.length > 0 && folded === word.toLowerCase());
  if (own) throw weak('the password must not be your name or address');
  // Short repetitions and keyboard sequences are in the list.
  if (new Set(folded).size < 3) throw weak('the password must not be one or two characters repeated');
  if (await isCommonPassword(password)) {
    throw weak('this password is one of those that are tried first: choose another');
  }
}

/** Whether nobody can have this password: it is not worth the work of hashing. */
export function isTooLong(password: string): boolean {
  return password.length > 2 * MAX_PASSWORD_LENGTH || [...password].length > MAX_PASSWORD_LENGTH;
}

/** A password given to createPushUser: the contract's six characters, unless a setting requires the policy above. */
export async function checkGivenPassword(
  config: Config,
  password: string | undefined,
  about: readonly string[],
): Promise<void> {
  if (password === undefined) throw weak(`the password must have at least ${CONTRACT_LENGTH} characters`);
  if (config['Authentication.PasswordPolicy'] === 'strict')
    await checkChosenPassword(config, password, about);
  else requireLength(password, CONTRACT_LENGTH);
}

function requireLength(password: string, least: number): void {
  if ([...password].length < least) throw weak(`the password must have at least ${least} characters`);
}

function weak(message: string): ApiError {
  return errors.weakPassword({ message });
}
