// `npm run test:container`: apart from `npm test`, since it takes minutes and wants a container engine.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/container/**/*.test.ts'],
    root: `${import.meta.dirname}/../..`,
    testTimeout: 120_000,
    // The image is built from nothing: R and Python are installed in it.
    hookTimeout: 900_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
