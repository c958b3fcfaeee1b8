// `npm run test:container`: separate from `npm test`, since it takes minutes and requires a container engine.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/container/**/*.test.ts'],
    root: `${import.meta.dirname}/../..`,
    // Each builds the image, and may start an engine.
    fileParallelism: false,
    testTimeout: 120_000,
    // The image is built from scratch, with R and Python.
    hookTimeout: 900_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
