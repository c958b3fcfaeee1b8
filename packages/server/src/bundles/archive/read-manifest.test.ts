// Manifests as uploads bring them; what they may say is tested where they are parsed (packages/api).
import { KINDS } from '@pressroom/api/contract';
import { describe, expect, it } from 'vitest';
import { appModeOf, readManifest } from './read-manifest.ts';

const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

describe('readManifest', () => {
  it('says what is wrong as error 38', async () => {
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

  it('reads a large one in a thread, to the same end', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 5000 }, (_, i) => [`f${i}.txt`, { checksum: 'x'.repeat(40) }]),
    );
    const manifest = await readManifest(
      bytes({ version: 1, metadata: { appmode: 'static', primary_html: 'a.html' }, files }),
    );
    expect(manifest).toMatchObject({ appmode: 'static', primary_html: 'a.html', files: {} });
  });

  it('refuses an appmode that the server does not know, in escaped form', async () => {
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
    ['python-api', 'api'],
    ['python-fastapi', 'api'],
    ['tensorflow-saved-model', 'tensorflow-saved-model'],
    ...['shiny', 'streamlit', 'dash', 'gradio', 'panel', 'bokeh', 'marimo'].map(
      (name) => [`python-${name}`, 'shiny'] as const,
    ),
    ['quarto-static', 'rmd-static'],
    ['jupyter-voila', 'shiny'],
    ['nodejs', 'api'],
    ['program', 'api'],
  ] as const;
  it.each(modes)('%s is %s', (appmode, mode) => {
    expect(appModeOf(appmode)).toBe(mode);
  });

  it('is written down in the list above for every kind', () => {
    expect(modes.map(([appmode]) => appmode).toSorted()).toEqual(Object.keys(KINDS).toSorted());
  });
});
