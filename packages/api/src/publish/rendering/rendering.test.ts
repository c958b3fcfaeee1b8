import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Client } from '../../client/client.ts';
import type { DeployOptions } from '../deploy/deploy-events.ts';
import { prepareBundle } from '../deploy/prepare.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pressroom-rendering-'));
  await write('report.Rmd', '---\ntitle: Report\n---\n');
  await write('secret.csv', 'not for readers');
});
afterEach(() => rm(dir, { recursive: true }));

async function write(name: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(dir, name)), { recursive: true });
  await writeFile(path.join(dir, name), text);
}
const prepare = async (options: Partial<DeployOptions>, before?: Parameters<typeof prepareBundle>[1]) => {
  const prepared = await prepareBundle({ client: {} as Client, dir, ...options }, before, () => undefined);
  return { ...prepared, paths: prepared.files.map((file) => file.path) };
};

/** Writes a rendered page with the files that it needs. */
async function render(): Promise<string[]> {
  await write(
    'report.html',
    '<link href="style.css?v=1"><img src=\'pictures/a%20b.png\'><a href="secret.Rmd">',
  );
  await write('style.css', '@import "more.css"; p { background: url(pictures/back.png) }');
  await write('more.css', '');
  await write('pictures/a b.png', 'png');
  await write('pictures/back.png', 'png');
  await write('pictures/other.png', 'png');
  await write('report_files/figure-html/plot-1.png', 'png');
  return [
    'more.css',
    'pictures/a b.png',
    'pictures/back.png',
    'report_files/figure-html/plot-1.png',
    'style.css',
  ];
}

test('both: sends the source with its rendering, whose files the manifest lists', async () => {
  const files = await render();
  const { manifest, paths, event } = await prepare({ rendering: 'both' });
  expect(manifest).toMatchObject({
    metadata: { appmode: 'rmd-static', primary_rmd: 'report.Rmd' },
    rendered: { page: 'report.html', files },
  });
  expect(paths).toEqual(expect.arrayContaining(['report.Rmd', 'report.html', 'secret.csv']));
  expect(event.rendering).toBe('both');
});

test('local: sends only the page and its files, and so does the next deploy', async () => {
  const files = await render();
  const local = await prepare({ rendering: 'local' });
  expect(local.manifest.metadata).toMatchObject({ appmode: 'static', primary_html: 'report.html' });
  expect(local.paths.toSorted()).toEqual([...files, 'report.html'].toSorted());
  const before = { type: 'static', entrypoint: 'report.html', rendering: 'local' } as const;
  expect((await prepare({}, before)).paths).toEqual(local.paths);
  const source = await prepare({ rendering: 'server' }, before);
  expect(source.paths).toContain('secret.csv');
  expect((await prepare({ type: 'rmd-static' }, before)).event.rendering).toBeUndefined();
});

test('warns about a page older than its source', async () => {
  await render();
  await utimes(path.join(dir, 'report.html'), 1, 1);
  expect((await prepare({ rendering: 'both' })).event.warnings.join()).toContain('older than report.Rmd');
});

test.each([
  ['there is no page yet', {}, 'There is no report.html: render report.Rmd to it first'],
  ['it is not a document', { type: 'shiny' }, 'Nothing here is a document'],
])('rejects when %s', async (_, options, message) => {
  await expect(prepare({ rendering: 'both', ...options })).rejects.toMatchObject({
    code: 'rendering-missing',
    message: expect.stringContaining(message) as string,
  });
});

/** Writes a site and its rendered pages. */
async function renderSite(directory: string): Promise<void> {
  await write('index.Rmd', '---\nsite: rmarkdown::render_site\n---\n');
  await write('_site.yml', `name: x\noutput_dir: "${directory}"\n`);
  await write(`${directory}/index.html`, '<p>');
  await write(`${directory}/more/page.html`, '<p>');
  await write(`${directory}/site_libs/style.css`, '');
}

test('both: sends the output directory of a site with its source', async () => {
  await renderSite('out/pages');
  const { manifest, paths } = await prepare({ rendering: 'both', entrypoint: 'index.Rmd' });
  const files = ['out/pages/more/page.html', 'out/pages/site_libs/style.css'];
  expect(manifest).toMatchObject({
    metadata: { appmode: 'rmd-static', content_category: 'site' },
    rendered: { page: 'out/pages/index.html', files },
  });
  expect(paths).toEqual(expect.arrayContaining(['index.Rmd', 'secret.csv', ...files]));
});

test('local: sends only the pages of a site, and so does the next deploy', async () => {
  await renderSite('docs');
  const { manifest, paths, root } = await prepare({ rendering: 'local', entrypoint: 'index.Rmd' });
  expect(manifest.metadata).toMatchObject({ appmode: 'static', primary_html: 'index.html' });
  expect(paths.toSorted()).toEqual(['index.html', 'more/page.html', 'site_libs/style.css']);
  expect(root).toBe(path.join(dir, 'docs'));
  const before = { type: 'static', entrypoint: 'index.html', rendering: 'local' } as const;
  expect((await prepare({}, before)).paths).toEqual(paths);
});

test('rejects a site without an output directory of its own', async () => {
  await write('index.Rmd', '---\nsite: rmarkdown::render_site\n---\n');
  await write('index.html', '<p>');
  const refused = { code: 'rendering-missing' };
  const selector = { rendering: 'local', entrypoint: 'index.Rmd' } as const;
  await expect(prepare(selector)).rejects.toMatchObject(refused);
  await write('_site.yml', 'output_dir: "../elsewhere"\n');
  await expect(prepare(selector)).rejects.toMatchObject(refused);
});
