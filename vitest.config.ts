import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/perf/**', 'test/soak/**'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
