import { expect, expectTypeOf, test } from 'vitest';
import { operations, pairs } from './index.ts';

test('both forms of an operation are listed under their own ids', () => {
  for (const [id, { experimental, stable }] of Object.entries(pairs)) {
    expect(operations).toMatchObject({ [id]: experimental, [`${id}Ga`]: stable });
    expect([experimental.operationId, stable.operationId]).toEqual([id, `${id}Ga`]);
  }
  expect(Object.keys(pairs)).toHaveLength(11);
});

test('the experimental form names the stable path and requires the same role', () => {
  for (const { experimental, stable } of Object.values(pairs)) {
    expect(experimental).toMatchObject({
      origin: 'contract',
      experimental: true,
      replacement: stable.path,
      access: stable.access,
    });
    expect(stable).not.toHaveProperty('replacement');
    expect(stable.path).not.toContain('/experimental/');
  }
});

test('properties of one form override those of both', () => {
  expect([operations.updateContent.method, operations.updateContentGa.method]).toEqual(['POST', 'PATCH']);
  expectTypeOf(operations.updateContentGa.method).toEqualTypeOf<'PATCH'>();
  expectTypeOf(operations.getTask.replacement).toEqualTypeOf<'/v1/tasks/{id}'>();
  expectTypeOf(operations.getTaskGa).not.toHaveProperty('replacement');
});
