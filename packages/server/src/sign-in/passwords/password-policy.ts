// Which passwords people may choose: NIST SP 800-63B-4, 3.1.1.2. Length and a list; no rules of what must be in them.
import { type ApiError, errors } from '@pressroom/api/contract';
import type { Config } from '../../main/config/settings.ts';
import { isCommonPassword } from './common-passwords.ts';

/** What the contract asks of a password that an administrator gives (createPushUser). */
const CONTRACT_LENGTH = 6;
/** As many characters as a person may ever type; hashing more is work for nothing. */
const LONGEST = 1024;

/** A password that its owner chose, on a page of the server. @throws ApiError 6 saying why */
export async function checkChosenPassword(
  config: Config,
  password: string,
  about: readonly string[],
): Promise<void> {
  const least = config['Authentication.PasswordMinLength'];
  requireLength(password, least);
  if ([...password].length > LONGEST) throw weak(`a password has at most ${LONGEST} characters`);
  const folded = password.toLowerCase();
  const own = about.some((word) => word.length > 0 && folded === word.toLowerCase());
  if (own) throw weak('the password must not be your name or address');
  // One character again and again, or a few in a row as keyboards and alphabets have them, are in the list when short.
  if (new Set(folded).size < 3) throw weak('the password must not be one or two characters repeated');
  if (await isCommonPassword(password)) {
    throw weak('this password is one of those that are tried first: choose another');
  }
}

/** A password that createPushUser was given: the contract's six characters, unless a setting asks for the same as above. */
export async function checkGivenPassword(
  config: Config,
  password: string | undefined,
  about: readonly string[],
): Promise<void> {
  if (password === undefined) throw weak(`a password of at least ${CONTRACT_LENGTH} characters is wanted`);
  if (config['Authentication.PasswordPolicy'] === 'strict')
    await checkChosenPassword(config, password, about);
  else requireLength(password, CONTRACT_LENGTH);
}

function requireLength(password: string, least: number): void {
  if ([...password].length < least) throw weak(`a password of at least ${least} characters is wanted`);
}

function weak(message: string): ApiError {
  return errors.weakPassword({ message });
}
