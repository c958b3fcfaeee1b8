// SAML settings: the identity provider, and attribute names.
import { text } from '../../../main/config/setting-kinds.ts';

export const SAML_SETTINGS = {
  'SAML.SingleSignOnURL': text('', 'Single sign-on URL of the identity provider (HTTP redirect binding)'),
  'SAML.Certificate': text('', 'Signing certificate of the identity provider: a PEM file or its text'),
  'SAML.IdentityProvider': text('', 'Entity id of the identity provider'),
  'SAML.EntityId': text('', 'Entity id of this server; empty: the address of its metadata'),
  'SAML.UniqueIdAttribute': text('', 'Attribute that never changes; empty: the NameID'),
  'SAML.UsernameAttribute': text('', 'Attribute of the username; empty: the NameID'),
  'SAML.EmailAttribute': text('email', 'Attribute of the e-mail address'),
  'SAML.FirstNameAttribute': text('givenName', 'Attribute of the first name'),
  'SAML.LastNameAttribute': text('sn', 'Attribute of the last name'),
} as const;
