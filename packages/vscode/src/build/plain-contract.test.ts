import path from 'node:path';
import { operations } from '@pressroom/api/contract';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('the contract that is packed is the contract', async () => {
  const made = await build({
    stdin: {
      contents: `export { operations } from '@pressroom/api/contract'`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    alias: { typebox: path.join(import.meta.dirname, 'plain-schemas.ts') },
    write: false,
  });
  const [file] = made.outputFiles;
  const packed = (await import(
    `data:text/javascript;base64,${Buffer.from(file!.contents).toString('base64')}`
  )) as {
    operations: unknown;
  };
  expect(JSON.parse(JSON.stringify(packed.operations))).toEqual(JSON.parse(JSON.stringify(operations)));
  expect(file!.text).not.toContain('node_modules/typebox');
});
