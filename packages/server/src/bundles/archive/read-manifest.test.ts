// What the server takes from manifests that real clients write.
import { describe, expect, it } from 'vitest';
import { wireAppMode } from './app-mode.ts';
import { parseManifest, primaryFileOf } from './manifest.ts';

const parse = (value: unknown) => parseManifest(Buffer.from(JSON.stringify(value)));
const withMetadata = (metadata: Record<string, unknown>) => parse({ version: 1, metadata });

describe('parseManifest', () => {
  it('needs a version and an appmode, and gives every other field a value', () => {
    expect(withMetadata({ appmode: 'shiny' })).toEqual({
      version: 1,
      appmode: 'shiny',
      primary_rmd: null,
      primary_html: null,
      entrypoint: null,
      content_category: '',
      has_parameters: false,
      platform: null,
      locale: null,
      packages: null,
      python: null,
      files: null,
    });
  });

  it('takes null for everything that may be absent, and ignores unknown keys', () => {
    const metadata = { appmode: 'static', primary_rmd: null, primary_html: null, content_category: null };
    const manifest = parse({
      version: 1,
      metadata: { ...metadata, has_parameters: null, entrypoint: null, future: [] },
      packages: null,
      files: null,
      python: null,
      platform: null,
      locale: null,
      users: null,
    });
    expect(manifest).toEqual(withMetadata({ appmode: 'static' }));
  });

  it('takes the empty arrays that R writes for empty lists', () => {
    const manifest = parse({
      version: 1,
      metadata: { appmode: 'static' },
      packages: [],
      files: [],
      python: [],
    });
    expect(manifest).toMatchObject({ packages: {}, files: {}, python: null });
  });

  it('skips a byte order mark', () => {
    const text = JSON.stringify({ version: 1, metadata: { appmode: 'api' } });
    expect(parseManifest(Buffer.from(`\ufeff${text}`)).appmode).toBe('api');
  });

  it('keeps R packages with their source and description', () => {
    const shiny = { Source: 'CRAN', Repository: 'https://cran', description: { Version: '1.7.4' }, extra: 1 };
    const manifest = parse({
      version: 1,
      metadata: { appmode: 'shiny' },
      platform: '4.2.2',
      packages: { shiny, local: {} },
    });
    expect(manifest.platform).toBe('4.2.2');
    expect(manifest.packages).toEqual({
      shiny: { Source: 'CRAN', Repository: 'https://cran', description: { Version: '1.7.4' } },
      local: { Source: null, Repository: null, description: {} },
    });
  });

  it('keeps a package named __proto__ as a package', () => {
    const text = '{"version":1,"metadata":{"appmode":"shiny"},"packages":{"__proto__":{"Source":"CRAN"}}}';
    const { packages } = parseManifest(Buffer.from(text));
    expect(Object.keys(packages ?? {})).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(packages)).toBe(Object.prototype);
  });

  it('keeps the Python version and package manager', () => {
    const python = {
      version: '3.11.2',
      package_manager: { name: 'pip', version: '23.0', package_file: 'requirements.txt' },
    };
    expect(parse({ version: 1, metadata: { appmode: 'python-api' }, python }).python).toEqual(python);
  });

  it('strips ./ from primary files and takes an empty one as none', () => {
    const manifest = withMetadata({ appmode: 'static', primary_html: './home.html', primary_rmd: '' });
    expect(manifest).toMatchObject({ primary_html: 'home.html', primary_rmd: null });
  });

  it('lets a Python entry point be a module in a package', () => {
    expect(withMetadata({ appmode: 'python-api', entrypoint: 'app.main:app' }).entrypoint).toBe(
      'app.main:app',
    );
  });

  it('says what is wrong, and shows values only in escaped form', () => {
    expect(() => withMetadata({ appmode: 'x\u001b[2J\u202e' })).toThrow(
      /: appmode "x\\u001b\[2J\\u202e" is not supported/,
    );
  });
});

describe('primaryFileOf', () => {
  it.each([
    [{ appmode: 'static', primary_html: 'a.html', primary_rmd: 'a.Rmd' }, 'a.html'],
    [{ appmode: 'rmd-static', primary_html: 'a.html', primary_rmd: 'a.Rmd' }, 'a.Rmd'],
    [{ appmode: 'rmd-shiny', primary_rmd: 'a.Rmd' }, 'a.Rmd'],
    [{ appmode: 'rmd-static' }, 'index.Rmd'],
    [{ appmode: 'jupyter-static', entrypoint: 'a.ipynb' }, 'a.ipynb'],
    [{ appmode: 'python-api', entrypoint: 'app:app', primary_html: 'a.html' }, null],
    [{ appmode: 'static' }, null],
  ])('of %j is %j', (metadata, file) => {
    expect(primaryFileOf(withMetadata(metadata))).toBe(file);
  });
});

describe('wireAppMode', () => {
  it.each([
    ['static', 'static'],
    ['rmd-static', 'rmd-static'],
    ['jupyter-static', 'jupyter-static'],
    ['shiny', 'shiny'],
    ['rmd-shiny', 'rmd-shiny'],
    ['api', 'api'],
    ['python-api', 'api'],
    ['python-fastapi', 'api'],
    ['tensorflow-saved-model', 'tensorflow-saved-model'],
  ])('of %s is %s', (appmode, wire) => {
    expect(wireAppMode(appmode)).toBe(wire);
  });

  it('names an appmode it does not know', () => {
    expect(() => wireAppMode('quarto')).toThrow(
      expect.objectContaining({ code: 38, message: expect.stringContaining('"quarto"') }),
    );
  });
});
