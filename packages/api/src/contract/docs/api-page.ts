// docs/reference/api.md: the contract in Markdown.
import type { Endpoint } from '../endpoint.ts';
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
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly items?: FieldSchema;
  readonly maxItems?: number;
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
  const { contentKey, visitorKey } = operation;
  const notes = [
    `Access: ${access}`,
    contentKey ? `also with ${CONTENT_KEYS[contentKey]}` : null,
    visitorKey === false ? 'not with a visitor API key' : null,
    operation.form ? 'as JSON or as a form' : null,
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
  const body = typeof operation.body === 'object' ? (operation.body as FieldSchema) : undefined;
  const rows = [
    ...fields('path', operation.params as FieldSchema | undefined),
    ...fields('query', operation.query as FieldSchema | undefined),
    ...fields('header', operation.headers as FieldSchema | undefined),
    ...fields('body', body),
    ...(body?.items ? items('body', '', body.items) : []),
    ...(operation.body === 'archive' ? [ARCHIVE] : []),
  ];
  return rows.length === 0
    ? []
    : ['| In | Name | Type | Limits | Error |', '|---|---|---|---|---|', ...rows, ''];
}

/** @param below of the object in the request, with a dot; empty for the request itself */
function fields(place: string, schema: FieldSchema | undefined, below = ''): string[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, field]) => {
    const required = schema?.required?.includes(name) ? ' (required)' : '';
    const path = `${below}${name}`;
    const inner = [field, ...(field.anyOf ?? [])];
    return [
      row(place, `${path}${required}`, field),
      ...inner.flatMap((form) => fields(place, form, `${path}.`)),
      ...inner.flatMap((form) => (form.items ? items(place, path, form.items) : [])),
    ];
  });
}

/** Of an array: what each of its items is, and its fields. */
function items(place: string, of: string, schema: FieldSchema): string[] {
  const name = `${of}[]`;
  return schema.properties ? fields(place, schema, `${name}.`) : [row(place, name, schema)];
}

function row(place: string, name: string, field: FieldSchema): string {
  const { type, anyOf = [], enum: values, 'x-error': error, ...rest } = field;
  const kind = values ? values.map((value) => `\`${value}\``).join(', ') : typesOf(type, anyOf).join(' or ');
  return `| ${place} | ${name} | ${kind} | ${limits(rest)} | ${error ?? ''} |`;
}

/** For alternatives, the types of those that have one. */
function typesOf(type: FieldSchema['type'], forms: readonly FieldSchema[]): string[] {
  const types = [type ?? forms.flatMap((form) => form.type ?? [])].flat();
  return types.length === 0 ? ['string'] : types;
}

function limits(field: FieldSchema): string {
  const { minimum, maximum, minLength, maxLength, maxItems, format, pattern, description } = field;
  const range = (low: number | undefined, high: number | undefined, unit: string) =>
    low === undefined && high === undefined ? null : `${low ?? ''}..${high ?? ''}${unit}`;
  return [
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(undefined, maxItems, ' items'),
    field.default === undefined ? null : `default ${JSON.stringify(field.default)}`,
    format,
    pattern && `\`${pattern.replaceAll('|', '\\|')}\``,
    description?.replaceAll('|', '\\|'),
  ]
    .filter((part) => part !== null && part !== undefined && part !== '')
    .join('; ');
}
