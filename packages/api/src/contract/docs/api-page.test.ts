import { expect, test } from 'vitest';
import type { Endpoint } from '../endpoint.ts';
import { operations } from '../operations/index.ts';
import { apiPage } from './api-page.ts';

const ofContract = Object.values<Endpoint>(operations).filter(({ origin }) => origin === 'contract');

function rowsOf(operationId: string): string[] {
  const section = apiPage().split('\n### ').find((text) => text.startsWith(`${operationId}\n`)) ?? '';
  return section.split('\n').filter((line) => /^\| (path|query|header|body) /.test(line));
}

test('lists the path, header and body of an upload', () => {
  expect(rowsOf('uploadContentBundle')).toEqual([
    '| path | guid (required) | string | uuid | 3 |',
    '| header | x-content-checksum | string | MD5 of the archive, hex or base64 | 104 |',
    '| body | (required) | gzip-compressed tar archive |  |  |',
  ]);
});

test('lists the fields of the items of an array', () => {
  const rows = rowsOf('setMailRecipients').join('\n');
  expect(rows).toContain('| body | recipients[].type (required) | `user`');
  expect(rows).toContain('| body | recipients[].value (required) | string | 1..254 characters;');
  expect(rowsOf('updateEnvironment').join('\n')).toContain('| body | [].name (required) |');
});

test('shows the checked type of each field of the contract', () => {
  const untyped = ofContract.flatMap(({ operationId, params, query, headers, body }) => {
    const schemas = [params, query, headers, body] as ({ properties?: Record<string, object> } | undefined)[];
    return schemas.flatMap((schema) =>
      Object.entries(schema?.properties ?? {})
        .filter(([, field]) => !('type' in field) && !('anyOf' in field && 'description' in field))
        .map(([name]) => `${operationId} ${name}`),
    );
  });
  expect(untyped).toEqual([]);
});
