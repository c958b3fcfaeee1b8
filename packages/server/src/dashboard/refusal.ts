// Why a form was refused, and which of its fields is meant.
import { type ApiError, type ErrorCode, ERRORS } from '@pressroom/api/contract';

export interface Refusal {
  readonly message: string;
  /** The name of the field in the form; null if the refusal is not about one. */
  readonly field: string | null;
  /** What the message calls the field at its beginning, where the page writes its label. */
  readonly called: string;
  /** Set by the page where it says this beside the field, which has the focus. */
  isSaid: boolean;
}

/** The field of a form has another name than in the API where a page has several of that name. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  address: ['source'],
  branch: ['git_branch'],
  current_password: ['current', 'password', 'remove-password'],
  expires_time: ['until', 'days'],
  host_keys: ['host_key'],
  length: ['canary_minutes'],
  owner_guid: ['new_owner'],
  parent_id: ['parent'],
  password: ['source_password'],
  principal_guid: ['principal', 'approver', 'username', 'new_owner', 'recipients'],
  reason: ['lock_reason'],
  repository: ['trusted_repository'],
  share: ['canary_share'],
  username: ['source_user'],
};

/** The words of the contract name what people do not see on a page. */
const PLAIN: Partial<Record<ErrorCode, string>> = {
  4: 'It no longer exists',
  7: 'A username has up to 64 letters, digits and . _ @ + -, and begins with a letter or digit',
  8: 'This username is taken',
  15: 'There is a group of this name',
  16: 'They are a member already',
  17: 'It was removed already',
  18: 'It no longer exists',
  20: 'You may not delete this',
  21: 'You may not change this',
  22: 'You may not do this',
  26: 'This name is taken',
  33: 'A viewer cannot be a collaborator: make them a publisher first',
  34: 'The owner has access already',
  45: 'The server allows fewer (Scheduler.MinProcessesLimit).',
  51: 'This path is taken, or begins or continues one that is. Choose another.',
  55: 'This content runs no code',
  56: 'Content may not run as this account',
  57: 'The server has no such account',
  58: 'This account is not in the group that the server requires',
  74: 'A variant cannot have this name',
  81: 'There is a tag of this name there',
  100: 'It is being deployed, or takes visitors as a canary. Wait until that has ended, or end it, and try again.',
  113: 'The server allows fewer (Scheduler.MaxProcessesLimit).',
  114: 'The minimum must not be above the maximum',
};

/** In messages of the API; pages show times as `time` does. */
const TIMESTAMP = /(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z/g;

/** How sentences of the API begin; other first words can be names, which stay as they are. */
const SENTENCE = /^(?:an?|the|this|there|you|only) /;

/** @param sent the refused form */
export function refusalOf(error: ApiError, sent: URLSearchParams): Refusal {
  const { code, field } = error;
  const plain = error.message === ERRORS[code].message ? PLAIN[code] : undefined;
  const message =
    plain ??
    error.message
      .replace(SENTENCE, (word) => word.charAt(0).toUpperCase() + word.slice(1))
      .replaceAll(TIMESTAMP, '$1 $2 UTC');
  if (field === null) return { message, field, called: '', isSaid: false };
  // `sources[0].address`, `values.region`
  const path = field.replaceAll(/\[\d+\]/g, '').split('.');
  const names = path.toReversed().flatMap((name) => [name, ...(OTHER_NAMES[name] ?? [])]);
  const parameter = path[0] === 'values' ? [`p:${path.slice(1).join('.')}`] : [];
  const found = [...parameter, ...names].find((name) => sent.has(name)) ?? null;
  const calls = [field, `parameter ${path.slice(1).join('.')}`, 'Vanity path'];
  const called = calls.find((one) => message.startsWith(`${one} `)) ?? '';
  return { message, field: found, called, isSaid: false };
}
