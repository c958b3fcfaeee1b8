// Says that a role is too low because of the API key: the account itself may have a higher one.
import type { ApiErrorOptions, ServerRole } from '@pressroom/api/contract';
import type { Caller } from '../sign-in/authenticator.ts';
import { ROLE_RANK } from './roles.ts';

/** Message and payload of a refusal; empty if the key allows the role. */
export function limitedKey({ limits }: Pick<Caller, 'limits'>, least: ServerRole): ApiErrorOptions {
  const role = limits?.role ?? null;
  if (role === null || ROLE_RANK[role] >= ROLE_RANK[least]) return {};
  return { message: `this API key is limited to the role ${role}`, payload: { key_role: role } };
}
