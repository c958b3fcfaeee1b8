// LDAP settings: address, search, and attribute names.
import { flag, seconds, secret, text } from '../../../main/config/setting-kinds.ts';

export const LDAP_SETTINGS = {
  'LDAP.URL': text('', 'ldaps://… or ldap://…; without TLS on the loopback interface only'),
  'LDAP.StartTLS': flag(false, 'Encrypt an ldap:// connection by StartTLS'),
  'LDAP.CertificateAuthority': text(
    '',
    'PEM file of the authority that signed the certificate of the directory',
  ),
  'LDAP.BindDN': text('', 'Account for searches; empty: anonymous'),
  'LDAP.BindPassword': secret('Password of that account'),
  'LDAP.UserBase': text('', 'Search base for users, such as ou=people,dc=example,dc=org'),
  'LDAP.UserFilter': text('(objectClass=inetOrgPerson)', 'Search filter for users'),
  'LDAP.UsernameAttribute': text('uid', 'Attribute of the username'),
  'LDAP.UniqueIdAttribute': text(
    'entryUUID',
    'Attribute that never changes, of people and groups; objectGUID on Active Directory',
  ),
  'LDAP.EmailAttribute': text('mail', 'Attribute of the e-mail address'),
  'LDAP.FirstNameAttribute': text('givenName', 'Attribute of the first name'),
  'LDAP.LastNameAttribute': text('sn', 'Attribute of the last name'),
  'LDAP.GroupBase': text('', 'Search base for groups; empty: the same as for users'),
  'LDAP.GroupFilter': text('(objectClass=groupOfNames)', 'Search filter for groups'),
  'LDAP.GroupNameAttribute': text('cn', 'Attribute of the name of a group'),
  'LDAP.GroupMemberAttribute': text(
    'member',
    'Attribute that holds the DNs of the members of a group; with a matching rule as in a filter, such as member:1.2.840.113556.1.4.1941: for nested groups on Active Directory',
  ),
  'LDAP.Timeout': seconds(10, 'the directory gets to answer'),
} as const;
