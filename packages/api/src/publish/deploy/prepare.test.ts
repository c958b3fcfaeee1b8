import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import type { Client } from '../../client/client.ts';
import { prepareBundle } from './prepare.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('prepares R content where there is no R, and says that the server chooses', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'pressroom-prepare-'));
  await writeFile(
    path.join(dir, 'app.R'),
    'library(shiny)\nshinyApp(ui = fluidPage(), server = function(input, output) {})\n',
  );
  vi.stubEnv('PATH', dir);
  const { manifest, event } = await prepareBundle({ client: {} as Client, dir }, undefined, () => undefined);
  expect(manifest.platform).toBeUndefined();
  expect(event.app_mode).toBe('shiny');
  expect(event.warnings.join()).toMatch(/R version is unknown/);
  await rm(dir, { recursive: true });
});
