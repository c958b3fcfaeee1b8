// Parses the request for a new API key.
import type { ApiRequest } from '../http/request.ts';
import type { NewKey } from './api-keys.ts';

export function newKeyOf({ name, role, expires_time }: ApiRequest<'createApiKey'>['body']): NewKey {
  const expires = typeof expires_time === 'string' ? Date.parse(expires_time) * 1000 : null;
  return { name, role: role ?? null, expires };
}
