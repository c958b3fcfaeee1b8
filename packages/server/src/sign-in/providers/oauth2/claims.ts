// Reads a person from the claims of an OpenID Connect provider.
import { errors } from '@pressroom/api/contract';
import type { Config } from '../../../main/config/settings.ts';
import { missing } from '../missing.ts';
import type { VouchedPerson } from '../provider.ts';
import { invitationId, isInvitationId, mayHave } from './invitations.ts';

type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/**
 * Claims of the ID token, with those of the userinfo endpoint that it does not have. That an address is verified counts for
 * this address only.
 */
export function joinClaims(token: Claims, userinfo: Readonly<Record<string, unknown>>): Claims {
  const { email_verified, ...more } = userinfo;
  const isSame = token['email'] === undefined || token['email'] === more['email'];
  return { ...more, ...(isSame && { email_verified }), ...token };
}

/** @throws ApiError 60 for an address that may not sign in, 91 without a username, 98 for an id that is an invitation's. */
export function personIn(claims: Claims, config: Config): VouchedPerson {
  const text = (name: string) => (typeof claims[name] === 'string' ? claims[name] : '');
  // Some providers let people choose it: it would open somebody else's invitation without their address.
  if (isInvitationId(claims.sub))
    throw errors.loginFailed({ cause: new Error(`sub ${claims.sub} begins like an invitation`) });
  const email = text('email');
  const verified = claims.email_verified === true;
  if (!mayHave(config, email, verified))
    throw errors.emailNotAllowed({ cause: new Error(whyNot(email, verified)) });
  const username = text(config['OAuth2.UsernameClaim']);
  if (username === '')
    throw errors.invalidProviderUsername({ cause: missing(config, 'OAuth2.UsernameClaim', claims) });
  return {
    unique_id: claims.sub,
    ...(verified && email !== '' && { invited_as: invitationId(email) }),
    username,
    profile: { email, first_name: text('given_name'), last_name: text('family_name') },
  };
}

function whyNot(email: string, verified: boolean): string {
  if (email === '') return 'the claim email is missing, which OAuth2.AllowedDomains requires';
  if (!verified)
    return `the provider does not say that ${email} is verified (the claim email_verified must be true)`;
  return `${email} is in none of OAuth2.AllowedDomains`;
}
