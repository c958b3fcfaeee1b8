// Sign-in with a key pair: the first step of `connectUser()` in rsconnect for R, beside the contract.
import { endpoint } from '../endpoint.ts';
import { Closed, Type } from '../schema.ts';

export const createToken = endpoint({
  operationId: 'createToken',
  group: 'users',
  summary:
    'Register the public key of a program, for a person to claim at `token_claim_url` within one hour. From then on its ' +
    'requests are signed in place of an API key (see Other clients)',
  method: 'POST',
  path: '/tokens',
  body: Type.Object({
    token: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{20,128}$',
        'x-form': '20 to 128 letters, digits, "-" and "_"',
        'x-error': 86,
        description: 'Required. A random name that the program gives the token; 20 to 128 of `A-Za-z0-9_-`',
      }),
    ),
    public_key: Type.Optional(
      Type.String({
        maxLength: 2048,
        'x-error': 86,
        description: 'Required. An RSA key of 2048 to 4096 bits: DER (SubjectPublicKeyInfo) in base64',
      }),
    ),
  }),
  status: 200,
  response: Closed({
    token_claim_url: Type.String({ description: 'The page where a person claims the token' }),
  }),
  errors: [400, 403],
  access: 'anyone',
  origin: 'addition',
});
