// Reads an assertion: the person, and its recipient.
import type { Profile } from '@node-saml/node-saml';
import { errors } from '@pressroom/api/contract';
import type { Config, SettingName } from '../../../main/config/settings.ts';
import { missing } from '../missing.ts';
import type { VouchedPerson } from '../provider.ts';

/** Transient ids change with each session and identify nobody. */
const TRANSIENT = /:transient$/;
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

/** @throws ApiError 91 without a username, 129 without an id. */
export function personIn(profile: Profile, config: Config): VouchedPerson {
  const attributes = (profile.attributes ?? {}) as Record<string, unknown>;
  const valueOf = (setting: SettingName) => {
    const value = attributes[String(config[setting])];
    const first: unknown = Array.isArray(value) ? value[0] : value;
    return typeof first === 'string' ? first : '';
  };
  const nameId = TRANSIENT.test(profile.nameIDFormat ?? '') ? '' : profile.nameID;
  const unique_id = config['SAML.UniqueIdAttribute'] === '' ? nameId : valueOf('SAML.UniqueIdAttribute');
  const username = config['SAML.UsernameAttribute'] === '' ? nameId : valueOf('SAML.UsernameAttribute');
  const why = (setting: SettingName) =>
    config[setting] === ''
      ? new Error(`${setting} is empty, and the NameID is missing or transient`)
      : missing(config, setting, attributes);
  if (!unique_id) throw errors.userUniqueIdBlank({ cause: why('SAML.UniqueIdAttribute') });
  if (!username) throw errors.invalidProviderUsername({ cause: why('SAML.UsernameAttribute') });
  return {
    unique_id,
    username,
    profile: {
      email: valueOf('SAML.EmailAttribute'),
      first_name: valueOf('SAML.FirstNameAttribute'),
      last_name: valueOf('SAML.LastNameAttribute'),
    },
  };
}

type Attributes = Readonly<Record<string, string>>;
type Node = { readonly $?: Attributes } & { readonly [name: string]: Node[] };

/** The id of the signed assertion, and its bearer conditions: recipient, expiry and request. */
export function assertionOf(profile: Profile): { id: string | undefined; bearer: Attributes[] } {
  const { Assertion } = (profile.getAssertion?.() ?? {}) as { Assertion?: Node };
  const confirmations = Assertion?.Subject?.[0]?.SubjectConfirmation ?? [];
  const ofBearer = confirmations.filter(({ $ }) => $?.Method === BEARER);
  const bearer = ofBearer.map(({ SubjectConfirmationData: data }) => data?.[0]?.$ ?? {});
  return { id: Assertion?.$?.ID, bearer };
}
