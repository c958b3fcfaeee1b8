import { defineConfig } from 'vitest/config';

const shared = { testTimeout: 60_000, hookTimeout: 120_000 };
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
        test: {
          ...shared,
          name: 'unit',
          include: [
            'packages/*/src/**/*.test.ts',
            'test/{architecture,contract,hostile,e2e,runtime}/**/*.test.ts',
          ],
        },
      },
      acceptance('sqlite'),
      acceptance('postgres'),
    ],
    reporters: process.env.PRESSROOM_TEST_REPORT ? ['default', 'json'] : ['default'],
    ...(process.env.PRESSROOM_TEST_REPORT && { outputFile: { json: process.env.PRESSROOM_TEST_REPORT } }),
  },
});
