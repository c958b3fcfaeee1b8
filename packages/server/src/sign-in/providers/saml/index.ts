// SAML 2.0: requests by redirect, responses by POST; responses and assertions signed, each accepted once.
import { randomBytes } from 'node:crypto';
import { SAML, ValidateInResponseTo, type Profile, type SamlConfig } from '@node-saml/node-saml';
import { ApiError, errors } from '@pressroom/api/contract';
import { messageOf } from '../../../platform/errors.ts';
import { spend } from '../../store.ts';
import type { ProviderParts, SignInProvider, VouchedPerson } from '../provider.ts';
import { requireSettings, secureUrl } from '../required.ts';
import { readCertificates } from './certificate.ts';
import { assertionOf, personIn } from './profile.ts';
import { createValidator } from './validate-in-thread.ts';

/** Maximum age of a response in microseconds. */
const MAX_AGE = 600_000_000;
const CLOCK_SKEW_MS = 60_000;
/** Microseconds from the post to the redirect that follows. */
const TICKET_LIFETIME = 60_000_000;
const PURPOSE = 'saml answer';

interface Ticket {
  readonly person: VouchedPerson;
  /** Id of the request. */
  readonly state: string;
  readonly expires: number;
}

/**
 * Limits of a response: base64 characters, and elements and attributes in it; several hundred groups and certificates.
 */
const MAX_LENGTH = 180_000;
const MAX_NODES = 2000;
/** The parser treats these as the end of an attribute without `=`. Names, indentation and certificates contain some. */
const SEPARATOR = /[\s\p{Cc}]+|["']/u;
const MAX_SEPARATORS = 6 * MAX_NODES;

export function createSaml({ config, storage, secrets, clock }: ProviderParts): SignInProvider {
  requireSettings(config, [
    'SAML.SingleSignOnURL',
    'SAML.Certificate',
    'SAML.IdentityProvider',
    'Server.Address',
  ]);
  const address = config['Server.Address'];
  const callbackUrl = `${address}/__login__/callback`;
  const entityId = config['SAML.EntityId'] || `${address}/__login__/metadata`;
  const options: SamlConfig = {
    entryPoint: secureUrl(config, 'SAML.SingleSignOnURL', 'http:').href,
    idpCert: readCertificates(config['SAML.Certificate']),
    idpIssuer: config['SAML.IdentityProvider'],
    issuer: entityId,
    audience: entityId,
    callbackUrl,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: true,
    // Responses are matched with requests in `finish`, by the browser's cookie.
    validateInResponseTo: ValidateInResponseTo.never,
    acceptedClockSkewMs: CLOCK_SKEW_MS,
    maxAssertionAgeMs: MAX_AGE / 1000,
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    signatureAlgorithm: 'sha256',
  };
  const saml = new SAML(options);
  const validator = createValidator(options);

  async function validate(response: string, visitor: string): Promise<Profile> {
    requireSmall(response);
    const profile = await validator.validate(response, visitor);
    // node-saml checks the issuer of logout messages only.
    if (profile.issuer !== options.idpIssuer)
      throw new Error(`the response is of ${profile.issuer}, which is not SAML.IdentityProvider`);
    if (typeof profile.inResponseTo !== 'string') throw new Error('nobody asked for this response');
    requireBearer(profile);
    return profile;
  }

  /** node-saml does not check this unless it stores requests itself. */
  function requireBearer(profile: Profile): void {
    const here = assertionOf(profile).bearer.find(({ Recipient }) => Recipient === callbackUrl);
    if (!here) throw new Error('the response is addressed to another server');
    const ends = Date.parse(here.NotOnOrAfter ?? '');
    if (!(ends + CLOCK_SKEW_MS > clock.now() / 1000)) throw new Error('the response has expired');
    if (here.InResponseTo !== undefined && here.InResponseTo !== profile.inResponseTo)
      throw new Error('the response answers another request');
  }

  async function spendOnce(profile: Profile): Promise<void> {
    const { id } = assertionOf(profile);
    const now = clock.now();
    const kept = now + 2 * (MAX_AGE + CLOCK_SKEW_MS * 1000);
    const fresh = id !== undefined && (await storage.write((tx) => spend(tx, `saml ${id}`, now, kept)));
    if (!fresh) throw new Error('the response was already used');
  }

  return {
    kind: 'saml',
    signIn: {
      by: 'redirect',
      async begin() {
        const state = `_${randomBytes(20).toString('hex')}`;
        const asking = new SAML({ ...options, generateUniqueId: () => state });
        return { location: await asking.getAuthorizeUrlAsync('', undefined, {}), attempt: { state } };
      },
      async receive(form, visitor) {
        try {
          const profile = await validate(form.get('SAMLResponse') ?? '', visitor);
          await spendOnce(profile);
          const state = profile.inResponseTo as string;
          const expires = clock.now() + TICKET_LIFETIME;
          const ticket: Ticket = { person: personIn(profile, config), state, expires };
          return new URLSearchParams({ state, ticket: secrets.encrypt(JSON.stringify(ticket), PURPOSE) });
        } catch (cause) {
          throw cause instanceof ApiError ? cause : errors.loginFailed({ cause: explained(cause) });
        }
      },
      async finish(result, { state }) {
        let ticket: Ticket;
        try {
          ticket = secrets.decryptJson<Ticket>(result.get('ticket') ?? '', PURPOSE);
        } catch (cause) {
          throw errors.loginFailed({ cause });
        }
        if (ticket.state !== state || ticket.expires <= clock.now()) {
          throw errors.loginFailed({
            cause: new Error('the response belongs to another attempt, or is old'),
          });
        }
        return ticket.person;
      },
      metadata: () => saml.generateServiceProviderMetadata(null),
    },
    profileFields: ['email', 'first_name', 'last_name'],
    needsUniqueId: true,
    groups: 'kept',
    directory: null,
    [Symbol.asyncDispose]: () => validator[Symbol.asyncDispose](),
  };
}

/** The library does not say whose key it expects. */
function explained(failure: unknown): unknown {
  const reason = messageOf(failure);
  if (!/^Invalid (document )?signature/.test(reason)) return failure;
  return new Error(`${reason}: response and assertion must both be signed, with a key of SAML.Certificate`, {
    cause: failure,
  });
}

/** Anybody can send a response: large ones are refused before parsing. */
function requireSmall(response: string): void {
  const xml = response.length > MAX_LENGTH ? '' : Buffer.from(response, 'base64').toString();
  const hasMore = (mark: string | RegExp, most: number) => xml.split(mark, most + 1).length > most;
  const isLarge = hasMore('<', MAX_NODES) || hasMore('=', MAX_NODES) || hasMore(SEPARATOR, MAX_SEPARATORS);
  if (xml === '' || isLarge) throw new Error('the response is too large');
}
