// A SAML identity provider (the package samlify), with correct responses or forged ones.
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { inflateRawSync } from 'node:zlib';
import { testCertificate, type TestCertificate } from './certificate.ts';
import { KNOWN_PEOPLE, type KnownPerson } from './people.ts';

/** The used part of samlify. Its own types would add those of browsers to every file of this repository. */
interface Samlify {
  setSchemaValidator(validator: { validate(xml: string): Promise<string> }): void;
  IdentityProvider(settings: object): {
    createLoginResponse(
      ...request: [sp: object, info: object, binding: 'post', user: object, template: () => object]
    ): Promise<{ context: string }>;
  };
  ServiceProvider(settings: object): object;
}
const require = createRequire(import.meta.url);
const samlify = require('samlify') as Samlify;
const BINDINGS = 'urn:oasis:names:tc:SAML:2.0:bindings';

export const SAML_PROVIDER = 'https://idp.example/metadata';
export const SAML_SIGN_ON = 'https://idp.example/sign-on';

export interface SamlResponse {
  readonly username: string;
  /** Id of the answered request. */
  readonly request: string;
  readonly signs?: { readonly assertion?: boolean; readonly response?: boolean };
  readonly audience?: string;
  readonly recipient?: string;
  readonly issuer?: string;
  /** Milliseconds added to all its times. */
  readonly shift?: number;
  /** Changes the XML before it is signed. */
  readonly edit?: (xml: string) => string;
  /** Changes the XML after it was signed. */
  readonly tamper?: (xml: string) => string;
  readonly signer?: TestCertificate;
}

export interface TestSaml {
  readonly certificate: string;
  /** The `SAMLResponse` to post. */
  respond(options: SamlResponse): Promise<string>;
  /** The request id in the address that a server redirected to. */
  requestIn(location: string): string;
}

/** One for all providers: making a key takes a fifth of a second of a core. */
let made: TestCertificate | null = null;

/** @param service address of the server, without a trailing slash. */
export function createSamlProvider(service: string): TestSaml {
  const own = (made ??= testCertificate('idp.example'));
  samlify.setSchemaValidator({ validate: async () => 'not looked at' });
  return {
    certificate: own.certificate,
    async respond(options) {
      const { signs = {}, edit = asIs, tamper = asIs } = options;
      const { key, certificate } = options.signer ?? own;
      const idp = samlify.IdentityProvider({
        entityID: SAML_PROVIDER,
        privateKey: key,
        signingCert: certificate,
        singleLogoutService: [{ Binding: `${BINDINGS}:HTTP-Redirect`, Location: SAML_SIGN_ON }],
        singleSignOnService: [{ Binding: `${BINDINGS}:HTTP-Redirect`, Location: SAML_SIGN_ON }],
      });
      const sp = samlify.ServiceProvider({
        entityID: `${service}/__login__/metadata`,
        wantAssertionsSigned: signs.assertion ?? true,
        wantMessageSigned: signs.response ?? true,
        assertionConsumerService: [
          { Binding: `${BINDINGS}:HTTP-POST`, Location: `${service}/__login__/callback` },
        ],
      });
      const { context } = await idp.createLoginResponse(sp, {}, 'post', {}, () => ({
        id: '_',
        context: edit(responseOf(service, options)),
      }));
      const xml = Buffer.from(context, 'base64').toString();
      return Buffer.from(tamper(xml)).toString('base64');
    },
    requestIn(location) {
      const deflated = new URL(location).searchParams.get('SAMLRequest')!;
      const xml = inflateRawSync(Buffer.from(deflated, 'base64')).toString();
      return /\bID="([^"]+)"/.exec(xml)![1]!;
    },
  };
}

const asIs = (xml: string) => xml;

function responseOf(service: string, options: SamlResponse): string {
  const { username, request, shift = 0, issuer = SAML_PROVIDER } = options;
  const { audience = `${service}/__login__/metadata`, recipient = `${service}/__login__/callback` } = options;
  const at = (seconds: number) => new Date(Date.now() + shift + seconds * 1000).toISOString();
  const id = () => `_${randomBytes(16).toString('hex')}`;
  const person = (KNOWN_PEOPLE as Record<string, KnownPerson>)[username]!;
  const attributes = {
    email: person.email,
    givenName: person.first_name,
    sn: person.last_name,
    uid: username,
  };
  const statements = Object.entries(attributes).map(
    ([name, value]) =>
      `<saml:Attribute Name="${name}"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute>`,
  );
  const about = `Version="2.0" IssueInstant="${at(0)}"`;
  const inResponseTo = request === '' ? '' : ` InResponseTo="${request}"`;
  return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id()}" ${about} Destination="${recipient}"${inResponseTo}><saml:Issuer>${issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status><saml:Assertion ID="${id()}" ${about}><saml:Issuer>${issuer}</saml:Issuer><saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">id-${username}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${at(300)}" Recipient="${recipient}"${inResponseTo}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${at(-5)}" NotOnOrAfter="${at(300)}"><saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${at(0)}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${statements.join('')}</saml:AttributeStatement></saml:Assertion></samlp:Response>`;
}
