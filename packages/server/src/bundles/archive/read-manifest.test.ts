// Covers manifests of uploads. What they may contain is tested with the parser (packages/api).
import { describe, expect, it } from 'vitest';
import { appModeOf, readManifest } from './read-manifest.ts';

const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

describe('readManifest', () => {
  it('rejects invalid JSON and an unknown version with error 38', async () => {
    const refused = (value: unknown) => readManifest(bytes(value)).catch((error: unknown) => error);
    expect(await refused('{')).toMatchObject({
      code: 38,
      message: expect.stringContaining('not valid JSON'),
    });
    expect(await refused({ version: 2 })).toMatchObject({
      code: 38,
      message: expect.stringContaining('version'),
    });
  });

  it('parses a large manifest in a worker thread', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 5000 }, (_, i) => [`f${i}.txt`, { checksum: 'x'.repeat(40) }]),
    );
    const manifest = await readManifest(
      bytes({ version: 1, metadata: { appmode: 'static', primary_html: 'a.html' }, files }),
    );
    expect(manifest).toMatchObject({ appmode: 'static', primary_html: 'a.html', files: {} });
  });

  it('rejects an unknown appmode and escapes it in the message', async () => {
    const error = await readManifest(bytes({ version: 1, metadata: { appmode: 'x\u001b[2J' } })).catch(
      (refusal: unknown) => refusal,
    );
    expect(error).toMatchObject({ code: 38 });
    expect(String(error)).toContain('"x\\u001b[2J" is not supported by this server');
  });
});

describe('appModeOf', () => {
  const modes = [
    ['static', 'static'],
    ['rmd-static', 'rmd-static'],
    ['jupyter-static', 'jupyter-static'],
    ['shiny', 'shiny'],
    ['rmd-shiny', 'rmd-shiny'],
    ['api', 'api'],
    ['tensorflow-saved-model', 'tensorflow-saved-model'],
    // The contract has no app_mode for these. docs/reference/types.md lists the one of each type.
    ['python-api', 'api'],
    ['python-streamlit', 'shiny'],
    ['quarto-static', 'rmd-static'],
    ['nodejs', 'api'],
  ] as const;
  it.each(modes)('maps %s to %s', (appmode, mode) => {
    expect(appModeOf(appmode)).toBe(mode);
  });
});
