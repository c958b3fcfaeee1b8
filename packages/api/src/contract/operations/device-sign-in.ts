// Device sign-in for programs without a browser: the OAuth 2.0 Device Authorization Grant (RFC 8628), beside the
// contract.
import { endpoint } from '../endpoint.ts';
import { Closed, Type, type Static } from '../schema.ts';
import { NewApiKey } from './users.ts';

/**
 * Polling errors of RFC 8628, 3.5, in the `error` member of the usual error body, so that programs of either kind can
 * read them. The contract's table has no codes for them: all are 25.
 */
export const DEVICE_ERRORS = [
  'authorization_pending',
  'slow_down',
  'access_denied',
  'expired_token',
] as const;
export type DeviceError = (typeof DEVICE_ERRORS)[number];

export const DeviceCode = Closed({
  device_code: Type.String({ description: 'The secret to poll with' }),
  user_code: Type.String({ description: 'XXXX-XXXX, for the person to compare or to type' }),
  verification_uri: Type.String(),
  verification_uri_complete: Type.String({ description: 'The same page with the code filled in' }),
  expires_in: Type.Integer({ description: 'Seconds' }),
  interval: Type.Integer({
    description: 'Seconds to wait between two polls; 5 more after every `slow_down`',
  }),
});
export type DeviceCode = Static<typeof DeviceCode>;

export const beginDeviceSignIn = endpoint({
  operationId: 'beginDeviceSignIn',
  group: 'users',
  summary: 'Begin to sign in in the browser: a code for the person, and one for the program to poll with',
  method: 'POST',
  path: '/v1/device_sign_in',
  body: Type.Object({
    client_name: Type.String({
      maxLength: 255,
      description: 'What the person is shown, and the key is named after; 80 characters of it are kept',
    }),
  }),
  status: 200,
  response: DeviceCode,
  errors: [400, 403],
  access: 'anyone',
  origin: 'addition',
});

export const pollDeviceSignIn = endpoint({
  operationId: 'pollDeviceSignIn',
  group: 'users',
  summary: `The person's new API key, once they allowed it; until then 25 with the \`error\` ${DEVICE_ERRORS.join(', ')}`,
  method: 'POST',
  path: '/v1/device_sign_in/token',
  body: Type.Object({ device_code: Type.String({ maxLength: 255 }) }),
  status: 200,
  response: NewApiKey,
  errors: [400],
  access: 'anyone',
  origin: 'addition',
});
