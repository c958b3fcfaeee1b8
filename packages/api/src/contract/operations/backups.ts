// Backups of the server for programs, confirmed by an administrator in the browser: an API key alone is not enough. Not
// in the contract.
import { endpoint } from '../endpoint.ts';
import { Type } from '../schema.ts';
import { DEVICE_ERRORS, DeviceCode } from './device-sign-in.ts';

const base = {
  group: 'backups',
  method: 'POST',
  status: 200,
  access: 'administrator',
  origin: 'addition',
} as const;

export const beginBackup = endpoint({
  ...base,
  operationId: 'beginBackup',
  summary:
    'Ask to download a backup: a code that the owner of the API key confirms in the browser, within ten minutes of signing in there',
  path: '/v1/backups',
  body: Type.Object({
    client_name: Type.String({
      maxLength: 255,
      description: 'What the person is shown; 80 characters of it are kept',
    }),
  }),
  response: DeviceCode,
  errors: [400, 401, 403],
});

export const downloadBackup = endpoint({
  ...base,
  operationId: 'downloadBackup',
  summary: `The backup, a tar archive, once: within a minute of the confirmation. Until then 25 with the \`error\` ${DEVICE_ERRORS.join(', ')}`,
  path: '/v1/backups/download',
  body: Type.Object({ device_code: Type.String({ maxLength: 255 }) }),
  response: 'tar',
  errors: [400, 401, 403],
});
