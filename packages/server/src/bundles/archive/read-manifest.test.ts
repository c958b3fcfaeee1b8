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

  it('keeps everything of a large manifest that it keeps of a small one', async () => {
    const small = {
      version: 1,
      metadata: { appmode: 'jupyter-static', entrypoint: 'a.ipynb', has_parameters: true },
      platform: '4.2.2',
      locale: 'en_US',
      packages: { shiny: { Source: 'CRAN', Repository: 'r', description: { Version: '1.7.4' } } },
      python: { version: '3.11.2', package_manager: { package_file: 'requirements.txt' } },
      jupyter: { hide_all_input: true, hide_tagged_input: true },
      environment: { python: { requires: '>=3.10' }, r: { requires: '~=4.2' } },
      quarto: { engines: ['jupyter'] },
      rendered: { page: 'a.html', files: ['a_files/figure.png'] },
    };
    const files = { 'a.ipynb': { checksum: 'x'.repeat(200_000) } };
    expect(await readManifest(bytes({ ...small, files }))).toEqual(
      await readManifest(bytes({ ...small, files: {} })),
    );
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
