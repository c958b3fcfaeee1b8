import { operations } from '@pressroom/api/contract';
import type * as Contract from '@pressroom/api/contract';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { plainContract, plainOperations } from './plain-contract.ts';

test('packs the contract without what only servers and documents read', async () => {
  const made = await build({
    stdin: {
      contents: `export { operations, pairs, ROLES } from '@pressroom/api/contract'`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    plugins: [plainContract],
    write: false,
  });
  const [file] = made.outputFiles;
  const packed = (await import(
    `data:text/javascript;base64,${Buffer.from(file!.contents).toString('base64')}`
  )) as Pick<typeof Contract, 'operations' | 'pairs' | 'ROLES'>;
  expect(packed.operations).toEqual(JSON.parse(JSON.stringify(plainOperations(operations))));
  expect(packed.operations.getBundlesGa).toMatchObject({
    path: '/v1/content/{guid}/bundles',
    response: { type: 'array', items: { required: expect.arrayContaining(['id']) as unknown } },
  });
  expect(packed.pairs.getBundles.stable).toBe(packed.operations.getBundlesGa);
  expect(packed.ROLES).toContain('publisher');
  expect(file!.text).not.toContain('typebox');
});
