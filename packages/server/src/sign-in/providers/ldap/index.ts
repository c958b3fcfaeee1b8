// LDAP: people sign in with their directory password; the directory is also searched for people and groups.
import { randomUUID } from 'node:crypto';
import { ApiError, errors } from '@pressroom/api/contract';
import { AndFilter, EqualityFilter, InvalidCredentialsError, ResultCodeError } from 'ldapts';
import type { SettingName } from '../../../main/config/settings.ts';
import type { VouchedPerson, ProviderParts, SignInProvider } from '../provider.ts';
import { requireSettings } from '../required.ts';
import { createLdapConnector } from './connect.ts';
import { createLdapDirectory } from './directory.ts';

/**
 * Codes with which directories refuse one account (RFC 4511): wrong password, no such entry, no password, locked after
 * failures, deactivated. Another error than for a wrong password would tell who exists, and would not count as a guess.
 */
const REFUSALS = new Set([49, 32, 48, 19, 53]);

/** People of the directory whose attributes the doctor looks at. */
const EXAMINED = 100;

/** Why Active Directory refuses somebody whose password is right: numbers of Windows, in hex, in its message. */
const ACCOUNT_STATES: Readonly<Record<string, string>> = {
  '530': 'may not sign in at this time',
  '531': 'may not sign in from here',
  '532': 'has an expired password',
  '533': 'is disabled',
  '701': 'has expired',
  '773': 'must change the password first',
  '775': 'is locked after too many attempts',
};

export function createLdap({ config }: ProviderParts): SignInProvider {
  requireSettings(config, ['LDAP.URL', 'LDAP.UserBase']);
  const connector = createLdapConnector(config);
  const directory = createLdapDirectory(config, connector);

  /** An empty password would be an anonymous bind, which succeeds. @throws ApiError 30 for a wrong password */
  async function requirePassword(dn: string, password: string): Promise<void> {
    if (password === '') throw errors.invalidCredentials();
    await using connection = await connector.connect();
    try {
      await connection.client.bind(dn, password);
    } catch (error) {
      if (error instanceof InvalidCredentialsError) throw errors.invalidCredentials(reasonFor(error));
      if (error instanceof ResultCodeError && REFUSALS.has(error.code))
        throw errors.invalidCredentials({ cause: error });
      throw error;
    }
  }

  async function check(username: string, password: string): Promise<VouchedPerson> {
    const named = new EqualityFilter({ attribute: config['LDAP.UsernameAttribute'], value: username });
    const found = await directory.entries(
      config['LDAP.UserBase'],
      new AndFilter({ filters: [directory.isPerson, named] }),
      2,
    );
    const entry = found.length === 1 ? found[0]! : null;
    // Binds for unknown people, too, so that it takes the same time.
    const dn = entry?.dn ?? `${config['LDAP.UsernameAttribute']}=${randomUUID()},${config['LDAP.UserBase']}`;
    await requirePassword(dn, password);
    if (!entry) throw errors.invalidCredentials();
    const { unique_id, username: name, ...profile } = directory.personOf(entry);
    if (unique_id === '')
      throw errors.userUniqueIdBlank({ cause: lacks('LDAP.UniqueIdAttribute', `${dn} does not have`) });
    if (name === '')
      throw errors.invalidProviderUsername({ cause: lacks('LDAP.UsernameAttribute', `${dn} does not have`) });
    return { unique_id, username: name, profile, groups: await directory.groupsOf(entry.dn) };
  }

  const lacks = (setting: SettingName, who: string) =>
    new Error(
      `${setting} is ${String(config[setting])}, which ${who}, or which the search account cannot read`,
    );

  return {
    kind: 'ldap',
    signIn: {
      by: 'form',
      async check(username, password) {
        try {
          return { person: await check(username, password) };
        } catch (cause) {
          throw cause instanceof ApiError ? cause : errors.ldapFailed({ cause });
        }
      },
    },
    profileFields: ['email', 'first_name', 'last_name'],
    needsUniqueId: false,
    groups: 'added',
    directory,
    async reach() {
      const found = await directory.entries(config['LDAP.UserBase'], directory.isPerson, EXAMINED);
      if (found.length === 0) throw new Error('LDAP.UserFilter finds nobody below LDAP.UserBase');
      const people = found.map(directory.personOf);
      // Some may lack it, such as accounts of the directory itself.
      if (people.every((person) => person.unique_id === ''))
        throw lacks('LDAP.UniqueIdAttribute', 'nobody has');
      if (people.every((person) => person.username === ''))
        throw lacks('LDAP.UsernameAttribute', 'nobody has');
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** For the log, unless somebody only mistyped. */
function reasonFor({ message }: Error): { cause?: Error } {
  const state = ACCOUNT_STATES[/AcceptSecurityContext error, data (\w+),/.exec(message)?.[1] ?? ''];
  return state === undefined ? {} : { cause: new Error(`the directory says that the account ${state}`) };
}
