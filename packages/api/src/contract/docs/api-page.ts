// docs/reference/api.md: the contract in Markdown.
import type { Endpoint, TObjectLike } from '../endpoint.ts';
import { ERRORS } from '../errors/table.ts';
import { operations } from '../operations/index.ts';

interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly FieldSchema[];
  readonly enum?: readonly (string | null)[];
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly 'x-error'?: number;
}

const CONTENT_KEYS = {
  own: "the content's own key",
  pipeline: 'the key of a pipeline',
  both: "the content's own key or that of a pipeline",
};

const ARCHIVE = '| body | (required) | gzip-compressed tar archive |  |  |';

export function apiPage(): string {
  const all = Object.values<Endpoint>(operations);
  const groups = [...new Set(all.map((operation) => operation.group))].sort();
  return [
    '# The API',
    '',
    'Made from the contract in `packages/api/src/contract` by `npm run generate`; do not edit.',
    'Paths are relative to `/__api__`. Send `Authorization: Key <API_KEY>`.',
    '',
    ...groups.flatMap((group) => [
      `## ${group}`,
      '',
      ...all.filter((o) => o.group === group).flatMap(section),
    ]),
    '## Errors',
    '',
    'Every error has the body `{"code", "error", "payload"}`.',
    '',
    '| Code | Status | Meaning |',
    '|---|---|---|',
    ...Object.entries(ERRORS).map(([code, { status, message }]) => `| ${code} | ${status} | ${message} |`),
    '',
  ].join('\n');
}

function section(operation: Endpoint): string[] {
  const { operationId, method, path, summary, access, providers, errors, origin, replacement } = operation;
  const { contentKey } = operation;
  const notes = [
    `Access: ${access}`,
    contentKey ? `also with ${CONTENT_KEYS[contentKey]}` : null,
    origin === 'contract' ? null : origin === 'ga' ? 'GA form' : 'beside the contract',
    replacement ? `experimental, replaced by \`${replacement}\`` : null,
    providers ? `only under ${providers.only.join(', ')} (else ${providers.otherwise})` : null,
    errors.length > 0 ? `errors ${errors.join(', ')}` : null,
  ].filter((note) => note !== null);
  return [
    `### ${operationId}`,
    '',
    `\`${method} ${path}\` ${summary}.`,
    '',
    `${notes.join('; ')}.`,
    '',
    ...table(operation),
  ];
}

function table(operation: Endpoint): string[] {
  const body = typeof operation.body === 'object' ? (operation.body as unknown as TObjectLike) : undefined;
  const rows = [
    ...fields('path', operation.params),
    ...fields('query', operation.query),
    ...fields('header', operation.headers),
    ...fields('body', body?.properties ? body : undefined),
    ...(operation.body === 'archive' ? [ARCHIVE] : []),
  ];
  return rows.length === 0
    ? []
    : ['| In | Name | Type | Limits | Error |', '|---|---|---|---|---|', ...rows, ''];
}

function fields(place: string, schema: TObjectLike | undefined): string[] {
  return Object.entries(schema?.properties ?? {}).map(([name, field]) => {
    const { type, anyOf = [], enum: values, 'x-error': error, ...rest } = field as FieldSchema;
    const kind = values
      ? values.map((value) => `\`${value}\``).join(', ')
      : typesOf(type, anyOf).join(' or ');
    const required = schema?.required?.includes(name) ? ' (required)' : '';
    return `| ${place} | ${name}${required} | ${kind} | ${limits(rest)} | ${error ?? ''} |`;
  });
}

/** For alternatives, the types of those that have one. */
function typesOf(type: FieldSchema['type'], forms: readonly FieldSchema[]): string[] {
  const types = [type ?? forms.flatMap((form) => form.type ?? [])].flat();
  return types.length === 0 ? ['string'] : types;
}

function limits(field: FieldSchema): string {
  const { minimum, maximum, minLength, maxLength, format, pattern, description } = field;
  const range = (low: number | undefined, high: number | undefined, unit: string) =>
    low === undefined && high === undefined ? null : `${low ?? ''}..${high ?? ''}${unit}`;
  return [
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    field.default === undefined ? null : `default ${JSON.stringify(field.default)}`,
    format,
    pattern && `\`${pattern.replaceAll('|', '\\|')}\``,
    description?.replaceAll('|', '\\|'),
  ]
    .filter((part) => part !== null && part !== undefined && part !== '')
    .join('; ');
}
