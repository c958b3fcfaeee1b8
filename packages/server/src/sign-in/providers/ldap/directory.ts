// Reads people and groups of the directory. Filters are built as objects: input never becomes filter syntax.
import {
  AndFilter,
  EqualityFilter,
  ExtensibleFilter,
  FilterParser,
  NoSuchObjectError,
  OrFilter,
  PresenceFilter,
  SubstringFilter,
  type Entry,
  type Filter,
} from 'ldapts';
import { ConfigError } from '../../../main/config/load-config.ts';
import type { Config, SettingName } from '../../../main/config/settings.ts';
import type { Directory, RemoteGroup, RemotePerson } from '../../../people/directory.ts';
import { messageOf } from '../../../platform/errors.ts';
import type { LdapConnector } from './connect.ts';

export interface LdapDirectory extends Directory {
  readonly isPerson: Filter;
  entries(base: string, filter: Filter, limit: number): Promise<Entry[]>;
  personOf(entry: Entry): RemotePerson;
  /** The groups of a DN. */
  groupsOf(dn: string): Promise<RemoteGroup[]>;
}

const PAGE_SIZE = 500;
const GROUPS_OF_ONE = 10_000;

/** @throws ConfigError for an invalid filter. */
export function createLdapDirectory(config: Config, connector: LdapConnector): LdapDirectory {
  const isPerson = parseFilter(config, 'LDAP.UserFilter');
  const isGroup = parseFilter(config, 'LDAP.GroupFilter');
  const userBase = config['LDAP.UserBase'];
  const groupBase = config['LDAP.GroupBase'] || userBase;
  const uniqueId = config['LDAP.UniqueIdAttribute'];
  const groupName = config['LDAP.GroupNameAttribute'];
  const personNames = [
    config['LDAP.UsernameAttribute'],
    config['LDAP.FirstNameAttribute'],
    config['LDAP.LastNameAttribute'],
  ];
  const attributes = [uniqueId, config['LDAP.EmailAttribute'], groupName, ...personNames];

  /** Page by page, until there are enough. Referrals are not followed. */
  async function entries(base: string, filter: Filter, limit: number): Promise<Entry[]> {
    await using connection = await connector.connectToSearch();
    const found: Entry[] = [];
    const pages = connection.client.searchPaginated(base, {
      scope: 'sub',
      derefAliases: 'never',
      filter,
      attributes,
      paged: { pageSize: Math.min(limit, PAGE_SIZE) },
      explicitBufferAttributes: ['objectGUID'],
    });
    try {
      for await (const page of pages) {
        found.push(...page.searchEntries);
        if (found.length >= limit) break;
      }
    } catch (cause) {
      // Some directories return a number, others a line of their own source.
      if (cause instanceof NoSuchObjectError)
        throw new Error(`the directory has no entry ${base}`, { cause });
      throw cause;
    }
    return found.slice(0, limit);
  }

  /** Exact matches first: they must not be cut off by many prefix matches. */
  async function search(base: string, is: Filter, names: string[], prefix: string, limit: number) {
    const any = (filters: Filter[]) => new AndFilter({ filters: [is, new OrFilter({ filters })] });
    if (prefix === '') {
      return entries(base, any(names.map((attribute) => new PresenceFilter({ attribute }))), limit);
    }
    const equal = names.map((attribute) => new EqualityFilter({ attribute, value: prefix }));
    const begins = names.map((attribute) => new SubstringFilter({ attribute, initial: prefix }));
    const exact = await entries(base, any(equal), limit);
    const others = await entries(base, any(begins), limit);
    return [...new Map([...exact, ...others].map((entry) => [entry.dn, entry])).values()].slice(0, limit);
  }

  function personOf(entry: Entry): RemotePerson {
    const [username = '', first_name = '', last_name = ''] = personNames.map((name) => valueOf(entry, name));
    return {
      unique_id: valueOf(entry, uniqueId),
      username,
      email: valueOf(entry, config['LDAP.EmailAttribute']),
      first_name,
      last_name,
    };
  }

  const groupOf = (entry: Entry): RemoteGroup => ({
    unique_id: valueOf(entry, uniqueId),
    name: valueOf(entry, groupName),
  });

  return {
    isPerson,
    entries,
    personOf,
    async groupsOf(dn) {
      const holds = holdsMember(config['LDAP.GroupMemberAttribute'], dn);
      const found = await entries(groupBase, new AndFilter({ filters: [isGroup, holds] }), GROUPS_OF_ONE);
      return found.map(groupOf).filter((group) => group.unique_id !== '');
    },
    async searchPeople(prefix, limit) {
      const found = await search(userBase, isPerson, personNames, prefix, limit);
      return found.map(personOf).filter((person) => person.username !== '');
    },
    async searchGroups(prefix, limit) {
      const found = await search(groupBase, isGroup, [groupName], prefix, limit);
      return found.map(groupOf).filter((group) => group.name !== '');
    },
  };
}

/** A matching rule after the attribute counts members of groups in the group, too, where the directory has such a rule. */
function holdsMember(setting: string, value: string): Filter {
  const [matchType = '', rule = ''] = setting.split(':');
  return rule === ''
    ? new EqualityFilter({ attribute: matchType, value })
    : new ExtensibleFilter({ matchType, rule, value });
}

/** The first value; binary ones, such as an objectGUID, in hex. */
function valueOf(entry: Entry, attribute: string): string {
  const key = Object.keys(entry).find((name) => name.toLowerCase() === attribute.toLowerCase());
  const value = key === undefined ? undefined : entry[key];
  const first = Array.isArray(value) ? value[0] : value;
  if (first === undefined) return '';
  return typeof first === 'string' ? first : first.toString('hex');
}

function parseFilter(config: Config, name: SettingName): Filter {
  try {
    return FilterParser.parseString(String(config[name]));
  } catch (cause) {
    throw new ConfigError(`${name} must be an LDAP filter: ${messageOf(cause)}`, { cause });
  }
}
