import { defineConfig } from 'vitest/config';

/** What a test waits for comes when it comes: on a busy machine later than the second that polling has by default. */
const shared = { testTimeout: 60_000, hookTimeout: 120_000, expect: { poll: { timeout: 30_000 } } };
const acceptance = (engine: 'sqlite' | 'postgres') => ({
  test: {
    ...shared,
    name: `acceptance-${engine}`,
    include: ['test/acceptance/**/*.test.ts'],
    env: { PRESSROOM_TEST_ENGINE: engine },
    ...(engine === 'postgres' && { globalSetup: ['packages/testkit/src/postgres-setup.ts'] }),
  },
});

export default defineConfig({
  test: {
    projects: [
      {
        // Outside an editor there is none: the extension is tested on a small fake of it.
        resolve: { alias: { vscode: `${import.meta.dirname}/packages/vscode/src/testing/fake-vscode.ts` } },
        test: {
          ...shared,
          name: 'unit',
          include: [
            'packages/*/src/**/*.test.ts',
            'test/{architecture,contract,hostile,runtime}/**/*.test.ts',
            'test/e2e/{*,content/**/*,dashboard/**/*,slack/**/*}.test.ts',
          ],
        },
      },
      {
        test: {
          ...shared,
          testTimeout: 120_000,
          name: 'editor',
          include: ['test/e2e/vscode/**/*.test.ts'],
          globalSetup: ['test/e2e/vscode/editor-setup.ts'],
          // One editor at a time, when nothing else runs: it wants both cores for itself.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      acceptance('sqlite'),
      acceptance('postgres'),
    ],
    reporters: process.env.PRESSROOM_TEST_REPORT ? ['default', 'json'] : ['default'],
    ...(process.env.PRESSROOM_TEST_REPORT && { outputFile: { json: process.env.PRESSROOM_TEST_REPORT } }),
  },
});
