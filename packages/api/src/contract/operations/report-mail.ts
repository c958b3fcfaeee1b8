// Mailed reports: recipients of a variant's renderings, and states of the mails. Not in the contract.
import { endpoint } from '../endpoint.ts';
import { Closed, DateTime, Nullable, OneOf, PathUuid, Type, type Static } from '../schema.ts';

const base = { group: 'variants', access: 'user', origin: 'addition', kept: false } as const;
const params = Type.Object({ guid: PathUuid });
const one = Type.Object({
  guid: PathUuid,
  key: Type.String({
    pattern: '^(default|[A-Za-z0-9]{16})$',
    'x-form': '"default" or 16 letters and digits',
    'x-error': 3,
  }),
});
const errors = [400, 401, 403, 404] as const;

/** Of a variant. */
export const MAX_MAIL_RECIPIENTS = 100;
const RECIPIENTS = ['user', 'group', 'address'] as const;

export const MailRecipient = Closed({
  type: OneOf(RECIPIENTS),
  value: Type.String({ description: 'The guid of a user or a group, or an email address' }),
  name: Type.String({ description: 'Of the user or group; the address; empty for one that is deleted' }),
});
export type MailRecipient = Static<typeof MailRecipient>;

export const getMailRecipients = endpoint({
  ...base,
  operationId: 'getMailRecipients',
  summary: 'List who is mailed the scheduled renderings of a variant',
  method: 'GET',
  path: '/v1/content/{guid}/variants/{key}/recipients',
  params: one,
  status: 200,
  response: Type.Array(MailRecipient),
  errors,
});

export const setMailRecipients = endpoint({
  ...base,
  operationId: 'setMailRecipients',
  summary:
    'Set who is mailed the scheduled renderings of a variant. Others than its maker only where it is public (93)',
  method: 'PUT',
  path: '/v1/content/{guid}/variants/{key}/recipients',
  params: one,
  body: Type.Object({
    recipients: Type.Array(
      Type.Object({
        type: OneOf(RECIPIENTS, { 'x-error': 25 }),
        value: Type.String({
          minLength: 1,
          maxLength: 254,
          'x-error': 25,
          description: 'The guid of a user or a group, or an address that Mail.AllowedDomains has',
        }),
      }),
      { maxItems: MAX_MAIL_RECIPIENTS, 'x-error': 25 },
    ),
  }),
  status: 200,
  response: Type.Array(MailRecipient),
  errors,
});

export const sendMail = endpoint({
  ...base,
  operationId: 'sendMail',
  summary:
    'Mail the rendering that a variant shows to its recipients now, whatever the report says of schedules',
  method: 'POST',
  path: '/v1/content/{guid}/variants/{key}/send',
  params: one,
  status: 200,
  response: Closed({ mails: Type.Integer({ description: 'How many are on their way' }) }),
  errors,
});

export const MailDelivery = Closed({
  id: Type.Integer(),
  variant_key: Type.String({ description: '`default` for the document with the values of its source' }),
  rendering_id: Type.Integer(),
  address: Type.String({
    description:
      'Empty where the report itself wanted no mail, where more than 500 addresses were left out, and for people whose addresses the caller may not read',
  }),
  user_guid: Nullable(Type.String({ description: 'Null for an address outside' })),
  state: OneOf(['waiting', 'sent', 'failed', 'suppressed']),
  attempts: Type.Integer(),
  error: Type.String({ description: 'Why the last attempt failed; empty otherwise' }),
  created_time: DateTime,
  sent_time: Nullable(DateTime),
  next_time: Nullable(
    Type.String({ format: 'date-time', description: 'Of the next attempt; null: there is none' }),
  ),
});
export type MailDelivery = Static<typeof MailDelivery>;

export const getMailDeliveries = endpoint({
  ...base,
  operationId: 'getMailDeliveries',
  summary: 'List the mails with renderings of a content item, the newest first, 200 at most',
  method: 'GET',
  path: '/v1/content/{guid}/deliveries',
  params,
  status: 200,
  response: Type.Array(MailDelivery),
  errors,
});

export const sendTestMail = endpoint({
  group: 'server-settings',
  access: 'administrator',
  origin: 'addition',
  kept: false,
  operationId: 'sendTestMail',
  summary:
    'Mail the caller, to see whether the settings of mail work: errors 43 and 44 without, 89 if it is refused',
  method: 'GET',
  path: '/server_settings/mail/test',
  status: 200,
  response: 'empty',
  errors: [400, 401, 403],
});
