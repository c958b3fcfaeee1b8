// Frameworks for Python applications, from PyPI, used in a real browser; `npm run soak` uses the others, too.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pypiProblem } from '../../clients/clients.ts';
import { startFrameworks, type UsingFrameworks } from '../../soak/frameworks/use-frameworks.ts';

const REQUIREMENTS = join(import.meta.dirname, '../../soak/frameworks/requirements.txt');
const problem = await pypiProblem();

describe.skipIf(problem !== null)(
  problem === null ? 'frameworks' : `frameworks (skipped: ${problem})`,
  () => {
    let frameworks: UsingFrameworks;
    beforeAll(async () => {
      frameworks = await startFrameworks(REQUIREMENTS);
    });
    afterAll(() => frameworks[Symbol.asyncDispose]());

    test.each(['python-streamlit', 'python-shiny', 'python-dash', 'python-bokeh'] as const)(
      '%s: the type is found, an input is used over its connection, and loading the page is a visit',
      async (framework) => {
        const { appMode, visits } = await frameworks.use(framework);
        expect(appMode).toBe(framework);
        await expect.poll(visits).toBe(2);
      },
      600_000,
    );
  },
);
