// Covers parsing of manifests from real clients, and the refusal of hostile ones.
import { describe, expect, it } from 'vitest';
import { mainFileProblem, primaryFileOf } from './main-file.ts';
import { ManifestError, manifestOf, parseManifest } from './parse-manifest.ts';

const withMetadata = (metadata: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  manifestOf({ version: 1, metadata, ...more });

describe('parseManifest', () => {
  it('requires version and appmode, and gives other fields a default', () => {
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
      jupyter: { hide_all_input: false, hide_tagged_input: false },
    });
  });

  it('accepts files as a list of names, and hidden input of a notebook', () => {
    const more = { files: ['a.html', 'b/c.txt'], jupyter: { hide_all_input: true } };
    expect(withMetadata({ appmode: 'static' }, more)).toMatchObject({
      files: { 'a.html': {}, 'b/c.txt': {} },
      jupyter: { hide_all_input: true, hide_tagged_input: false },
    });
    for (const wrong of [{ files: ['a', 1] }, { jupyter: 'all' }, { jupyter: { hide_all_input: 'yes' } }])
      expect(() => withMetadata({ appmode: 'static' }, wrong)).toThrow(ManifestError);
  });

  it('accepts null for optional fields and ignores unknown keys', () => {
    const metadata = { appmode: 'static', primary_rmd: null, primary_html: null, content_category: null };
    const manifest = withMetadata(
      { ...metadata, has_parameters: null, entrypoint: null, future: [] },
      { packages: null, files: null, python: null, platform: null, locale: null, users: null },
    );
    expect(manifest).toEqual(withMetadata({ appmode: 'static' }));
  });

  it('accepts the empty arrays that R writes for empty lists', () => {
    const manifest = withMetadata({ appmode: 'static' }, { packages: [], files: [], python: [] });
    expect(manifest).toMatchObject({ packages: {}, files: {}, python: null });
  });

  it('skips a byte order mark', () => {
    const text = JSON.stringify({ version: 1, metadata: { appmode: 'api' } });
    expect(parseManifest(Buffer.from(`\ufeff${text}`)).appmode).toBe('api');
  });

  it('keeps R packages with their source and description', () => {
    const shiny = { Source: 'CRAN', Repository: 'https://cran', description: { Version: '1.7.4' }, extra: 1 };
    const packages = { shiny, local: {} };
    const manifest = withMetadata({ appmode: 'shiny' }, { platform: '4.2.2', packages });
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
    expect(withMetadata({ appmode: 'python-api' }, { python }).python).toEqual(python);
  });

  it('keeps version requirements of the interpreters', () => {
    const environment = { python: { requires: ' >=3.10,<3.13' }, r: { requires: '>= 4.1' } };
    expect(withMetadata({ appmode: 'python-api' }, { environment }).requires).toEqual({
      python: '>=3.10,<3.13',
      r: '>= 4.1',
    });
    for (const nothing of [{ python: {} }, { python: { requires: '' }, r: null }, null])
      expect(withMetadata({ appmode: 'python-api' }, { environment: nothing })).not.toHaveProperty(
        'requires',
      );
  });

  it('tells languages whose packages are not to be installed', () => {
    const unmanaged = (environment_management: unknown) =>
      withMetadata({ appmode: 'python-api' }, { environment: { environment_management } }).unmanaged;
    expect(unmanaged({ python: false, r: false })).toEqual({ python: true, r: true });
    expect(unmanaged({ python: false })).toEqual({ python: true, r: false });
    for (const nothing of [{ python: true, r: null }, {}, null]) expect(unmanaged(nothing)).toBeUndefined();
  });

  it('strips ./ from primary files and treats an empty one as none', () => {
    const manifest = withMetadata({ appmode: 'static', primary_html: './home.html', primary_rmd: '' });
    expect(manifest).toMatchObject({ primary_html: 'home.html', primary_rmd: null });
  });

  it('accepts a module in a package as entry point, but requires a top-level notebook', () => {
    const entrypoint = 'app.main:app';
    expect(withMetadata({ appmode: 'python-api', entrypoint }).entrypoint).toBe(entrypoint);
    expect(() => withMetadata({ appmode: 'jupyter-static', entrypoint: 'sub/a.ipynb' })).toThrow(
      'metadata.entrypoint "sub/a.ipynb" is not at the top level of the bundle',
    );
  });

  it('names appPrimaryDoc of rsconnect when the main file is in a directory', () => {
    expect(() => withMetadata({ appmode: 'rmd-static', primary_rmd: 'parts/child.Rmd' })).toThrow(
      'metadata.primary_rmd "parts/child.Rmd" is not at the top level of the bundle: name the main file, as with appPrimaryDoc of rsconnect',
    );
  });

  it('accepts an appmode that the table of kinds lacks', () => {
    expect(withMetadata({ appmode: 'quarto-shiny' }).appmode).toBe('quarto-shiny');
  });

  it.each([
    ['UTF-16', Buffer.from('{}', 'utf16le').subarray(0, 3), 'it is not valid JSON'],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff]), 'it is not UTF-8 text'],
    ['text after the JSON', Buffer.from('{} x'), 'it is not valid JSON'],
    ['a list', Buffer.from('[]'), 'it is not a JSON object'],
  ])('rejects %s', (_name, bytes, problem) => {
    expect(() => parseManifest(bytes)).toThrow(new ManifestError(problem));
  });

  it.each<[unknown, string]>([
    [{}, 'it has no version'],
    [{ version: '1' }, 'its version is not the number 1'],
    [{ version: 1, metadata: ['static'] }, 'it has no metadata object'],
    [{ version: 1, metadata: {} }, 'it has no metadata.appmode, such as "static" or "shiny"'],
    [{ version: 1, metadata: { appmode: 1 } }, 'metadata.appmode is not a string'],
  ])('rejects %j', (value, problem) => {
    expect(() => manifestOf(value)).toThrow(new ManifestError(problem));
  });

  it.each<[Record<string, unknown>, string]>([
    [{ platform: 4.2 }, 'platform is not a string'],
    [{ locale: 'x'.repeat(1025) }, 'locale has more than 1024 characters'],
    [{ packages: 'shiny' }, 'packages is not an object'],
    [{ packages: { shiny: '1.7.4' } }, 'packages["shiny"] is not an object'],
    [{ packages: { shiny: { Source: 1 } } }, 'packages["shiny"].Source is not a string'],
    [{ packages: { shiny: { description: '1' } } }, 'packages["shiny"].description is not an object'],
    [
      { packages: Object.fromEntries(Array.from({ length: 4001 }, (_, i) => [`p${i}`, {}])) },
      'it lists more than 4000 packages',
    ],
    [{ files: 'index.html' }, 'files is not an object'],
    [{ python: { package_manager: {} } }, 'python has no version'],
    [{ environment: { python: '3' } }, 'environment.python is not an object'],
    [{ quarto: { engines: 'knitr' } }, 'quarto.engines is not a short list'],
    [{ quarto: { engines: [1] } }, 'quarto.engines.0 is not a string'],
    [
      { environment: { python: { requires: 'the newest' } } },
      'environment.python.requires "the newest" is no requirement of versions such as ">=3.10"',
    ],
    [{ python: { version: '3.11', package_manager: 1 } }, 'python.package_manager is not an object'],
  ])('rejects the fields %j', (more, problem) => {
    expect(() => withMetadata({ appmode: 'shiny' }, more)).toThrow(new ManifestError(problem));
  });

  it.each(['\n', '\r', '\u2028', '\u2029'])('rejects a rendering outside the bundle behind %j', (end) => {
    const outside = `x${end}/../../other/index.html`;
    const given = (rendered: object) => () =>
      manifestOf({ version: 1, metadata: { appmode: 'rmd-static' }, rendered });
    expect(given({ page: outside })).toThrow(/is no path below the bundle/);
    expect(given({ page: 'a.html', files: [outside] })).toThrow(/other than paths below the bundle/);
  });

  it('escapes values in errors', () => {
    expect(() => withMetadata({ appmode: 'static', primary_html: 'x/\u001b[2J\u202e' })).toThrow(
      /primary_html "x\/\\u001b\[2J\\u202e" is not/,
    );
  });
});

describe('Primary file', () => {
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

  it.each([
    ['static', ['a.html'], null],
    ['static', ['b.html'], 'the primary file "a.html" is not at the top level of the bundle'],
    ['shiny', ['App.r'], null],
    ['shiny', ['server.R', 'www/index.html'], null],
    ['shiny', ['ui.R'], 'a Shiny bundle has app.R, or ui.R and server.R, at its top level'],
  ])('of %s with %j has the problem %j', (appmode, files, problem) => {
    expect(mainFileProblem(withMetadata({ appmode, primary_html: 'a.html' }), new Set(files))).toBe(problem);
  });
});
