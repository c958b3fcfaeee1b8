// Valid archives with a missing or invalid manifest: error 38.
import type { HostileUpload } from './corpus.ts';
import { archive, bundleOf, entry, manifestJson } from './tar-bytes.ts';

const page = (): Buffer => entry({ name: 'index.html', body: '<p>Hello</p>' });
const metadata = (change: Record<string, unknown>): string =>
  manifestJson({ metadata: { appmode: 'static', primary_html: 'index.html', ...change } });

const bundles: [string, () => Buffer][] = [
  ['none', () => archive(page())],
  ['no entries at all', () => archive()],
  ['in a directory only', () => archive(entry({ name: 'site/manifest.json', body: manifestJson() }), page())],
  ['is a directory', () => archive(entry({ name: 'manifest.json/', type: '5' }), page())],
  ['named in another case', () => archive(entry({ name: 'Manifest.JSON', body: manifestJson() }), page())],
  ['larger than the limit', () => bundleOf(manifestJson({ padding: 'x'.repeat(10 * 1024 ** 2) }))],
  [
    'primary file only in a directory',
    () =>
      archive(
        entry({ name: 'manifest.json', body: manifestJson() }),
        entry({ name: 'site/index.html', body: 'x' }),
      ),
  ],
];

const texts: [string, string | Buffer][] = [
  ['empty', ''],
  ['not JSON', 'appmode: static'],
  ['cut short', manifestJson().slice(0, -1)],
  ['text after the JSON', `${manifestJson()} x`],
  ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['UTF-16', Buffer.from(manifestJson(), 'utf16le')],
  ['an array', '[]'],
  ['a string', '"static"'],
  ['null', 'null'],
  ['nested a hundred thousand deep', '['.repeat(100_000)],
  ['no version', JSON.stringify({ metadata: { appmode: 'static' } })],
  ['version 2', manifestJson({ version: 2 })],
  ['version as text', manifestJson({ version: '1' })],
  ['no metadata', JSON.stringify({ version: 1 })],
  ['metadata is a list', manifestJson({ metadata: ['static'] })],
  ['metadata only through __proto__', '{"version":1,"__proto__":{"metadata":{"appmode":"static"}}}'],
  ['no appmode', manifestJson({ metadata: {} })],
  ['appmode is null', metadata({ appmode: null })],
  ['appmode is a number', metadata({ appmode: 7 })],
  ['appmode is empty', metadata({ appmode: '' })],
  ['appmode is unknown', metadata({ appmode: 'quarto-shiny' })],
  ['appmode named after an object method', metadata({ appmode: 'constructor' })],
  ['primary_html in a directory', metadata({ primary_html: 'site/index.html' })],
  ['primary_html outside', metadata({ primary_html: '../index.html' })],
  ['primary_html is absolute', metadata({ primary_html: '/etc/passwd' })],
  ['primary_html is ..', metadata({ primary_html: '..' })],
  ['primary_html with a backslash', metadata({ primary_html: 'site\\index.html' })],
  ['primary_html is a list', metadata({ primary_html: ['index.html'] })],
  ['primary_html that the archive lacks', metadata({ primary_html: 'home.html' })],
  ['primary_rmd in a directory', metadata({ primary_rmd: 'doc/index.Rmd' })],
  ['notebook in a directory', metadata({ appmode: 'jupyter-static', entrypoint: 'nb/report.ipynb' })],
  ['entrypoint is an object', metadata({ appmode: 'python-api', entrypoint: {} })],
  ['content_category is a number', metadata({ content_category: 1 })],
  ['has_parameters as text', metadata({ has_parameters: 'yes' })],
  ['packages is text', manifestJson({ packages: 'shiny' })],
  ['packages is a list of names', manifestJson({ packages: ['shiny'] })],
  ['a package is text', manifestJson({ packages: { shiny: '1.7.4' } })],
  ['a package source is a number', manifestJson({ packages: { shiny: { Source: 1 } } })],
  ['files is text', manifestJson({ files: 'index.html' })],
  ['python is text', manifestJson({ python: '3.11' })],
  ['python without a version', manifestJson({ python: { package_manager: {} } })],
  ['platform is a number', manifestJson({ platform: 4.2 })],
];

/** All bundles with an invalid manifest. */
export const hostileManifests: HostileUpload[] = [
  ...bundles.map(([name, bytes]) => upload(name, bytes)),
  ...texts.map(([name, text]) => upload(name, () => bundleOf(text))),
];

function upload(name: string, bytes: () => Buffer): HostileUpload {
  return { name: `manifest: ${name}`, code: 38, bytes: async () => bytes() };
}
