// Covers rendering of Quarto: the programs that run, and the page. A stand-in replaces quarto, which no registry has.
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Manifest } from '@pressroom/api/contract';
import { makeQuartoStandIn, type QuartoStandIn } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { takeReportMail } from '../../../mailing/report-mail.ts';
import { createInstallations } from '../../installations.ts';
import { renderBundle, startBench, type Bench } from '../../testing.ts';
import { quarto } from './index.ts';

const run = promisify(execFile);
let bench: Bench;
let standIn: QuartoStandIn;
beforeAll(async () => {
  bench = await startBench(300);
  standIn = await makeQuartoStandIn();
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await standIn[Symbol.asyncDispose]();
});

async function render(
  files: Record<string, string>,
  manifest: Partial<Manifest> = {},
  { language = null, ...options }: Parameters<typeof renderBundle>[4] = {},
) {
  const found = await createInstallations().findQuarto(standIn.file);
  const program = { language: null, env: {}, ...found! };
  const given = { appmode: 'quarto-static', ...manifest };
  return renderBundle(bench, quarto, given, files, { language, program, ...options });
}
const page = (output: string, name = 'index.html') => readFile(join(output, name), 'utf8');
const chunk = (language: string, code: string) => `\`\`\`{${language}}\n${code}\n\`\`\`\n`;

test('finds quarto at the configured path with its version, and reports a missing one', async () => {
  const found = await createInstallations().findQuarto(standIn.file);
  expect(found).toMatchObject({ version: '1.6.40', file: standIn.file });
  const broken: string[] = [];
  const none = createInstallations({ onBroken: (file) => broken.push(file) });
  expect(await none.findQuarto('/nowhere/quarto')).toBeNull();
  expect(broken).toEqual(['/nowhere/quarto']);
});

test.each([
  [{ quarto: { engines: ['knitr'] } }, ['R']],
  [{ quarto: { engines: ['jupyter', 'knitr'] } }, ['R', 'Python']],
  [{ quarto: { engines: ['markdown'] } }, []],
  [{ packages: {} }, ['R']],
  [
    { python: { version: '3.11', package_manager: { name: null, version: null, package_file: null } } },
    ['Python'],
  ],
  [{}, []],
])('%j requires %j', (manifest, languages) => {
  expect(quarto.languagesOf!({ packages: null, python: null, ...manifest } as unknown as Manifest)).toEqual(
    languages,
  );
});

test.each(['julia', 'constructor', '__proto__'])(
  'rejects the unsupported engine %s and names it',
  (engine) => {
    const manifest = { quarto: { engines: [engine] } } as unknown as Manifest;
    expect(() => quarto.languagesOf!(manifest)).toThrow(`the Quarto engine "${engine}"`);
  },
);

describe('Quarto document', () => {
  test('runs R code with the R of its environment, with parameters and figures', async () => {
    const text = `---\ntitle: Sales\nparams:\n  count: 6\n---\n\nAnswer \`r params$count * 7\`\n\n${chunk('r', 'plot(1)')}`;
    const { output, lines } = await render(
      { 'sales.qmd': text },
      { primary_rmd: 'sales.qmd' },
      { language: 'R' },
    );
    expect(await page(output)).toContain('Answer 42');
    expect((await readdir(output)).toSorted()).toEqual(['index.html', 'sales.html', 'sales_files']);
    expect(lines).toContain('processing file: sales.qmd');
    expect(lines.join('\n')).not.toContain(bench.directory);
  });

  test('accepts values for its parameters', async () => {
    const values = join(bench.directory, 'values.json');
    await writeFile(values, '{"region":"North"}');
    const text = '---\nparams:\n  region: South\n---\n\nSales of `r params$region`\n\n```{r}\n```\n';
    const { output } = await render({ 'a.qmd': text }, {}, { language: 'R', values });
    expect(await page(output)).toContain('Sales of North');
  });

  test('runs Python code with the Python of its environment', async () => {
    const files = { 'index.qmd': `Sum\n\n${chunk('python', 'print(40 + 2)')}`, 'secret.csv': 'not named' };
    const { output } = await render(files, {}, { language: 'Python' });
    expect(await page(output)).toContain('42');
    expect(await readdir(output)).toEqual(['index.html']);
  });

  test('runs Python code with the packages of its environment, not with the kernel of the system', async () => {
    const venv = join(bench.directory, 'venv');
    await run('/usr/bin/python3', ['-m', 'venv', '--without-pip', '--system-site-packages', venv]);
    const text = `Prefix\n\n${chunk('python', 'import sys; print(sys.prefix)')}`;
    const environment = { file: join(venv, 'bin/python'), readable: [venv] };
    const { output } = await render({ 'index.qmd': text }, {}, { language: 'Python', environment });
    expect(await page(output)).toContain(venv);
  });

  test('leaves the mail that it describes for the server, and not among its pages', async () => {
    const code = `write('{"rsc_email_subject": "Low"}', ".output_metadata.json")`;
    const { output } = await render({ 'index.qmd': `Text\n\n${chunk('r', code)}` }, {}, { language: 'R' });
    expect(await takeReportMail(output, 1000)).toMatchObject({ subject: 'Low' });
    expect(await readdir(output)).toEqual(['index.html']);
  });

  test('is the only one when the manifest names none; several are rejected', async () => {
    const { output } = await render({ 'a.qmd': 'Only **this**' });
    expect(await page(output)).toContain('<strong>this</strong>');
    await expect(render({ 'a.qmd': 'A', 'b.qmd': 'B' })).rejects.toThrow(/several documents.*primary_rmd/);
    expect(await page((await render({ 'a.ipynb': 'Only **this**' })).output)).toContain('this');
    await expect(render({ 'a.txt': 'A' })).rejects.toThrow('there is no .qmd file to render');
  });

  test('may have a name that starts with a dash or has spaces', async () => {
    const { output } = await render({ '-o x.qmd': 'Dashed' }, { primary_rmd: '-o x.qmd' });
    expect(await page(output)).toContain('Dashed');
  });

  test('is linked from index.html and attached to its mail when it is not HTML', async () => {
    const { output } = await render({ 'a & "b.qmd': '---\nformat: docx\n---\n\nText' });
    expect(await page(output)).toContain('<a href="./a &amp; &quot;b.docx">a &amp; &quot;b.docx</a>');
    expect(await takeReportMail(output, 1000)).toMatchObject({ attachments: ['a & "b.docx'] });
    expect((await readFile(join(output, 'a & "b.docx'))).subarray(0, 2).toString()).toBe('PK');
  });

  test('is rendered without an attempt to install packages of TeX, which cannot succeed', async () => {
    const { lines } = await render({ 'a.qmd': 'Text' });
    expect(lines).toContain('metadata: latex-auto-install:false');
  });

  test('reports the error and the document of a failure', async () => {
    const text = `Text\n\n${chunk('r', 'stop("no data for 3")')}`;
    const failing = render({ 'a.qmd': text }, {}, { language: 'R' });
    await expect(failing).rejects.toMatchObject({
      code: 1,
      message: expect.stringContaining('no data for 3'),
    });
    await expect(failing).rejects.toMatchObject({ payload: { file: 'a.qmd' } });
  });
});

test('renders a website as a whole', async () => {
  const files = { '_quarto.yml': 'project:\n  type: website\n', 'index.qmd': 'Home', 'about.qmd': 'About' };
  const { output } = await render(files, { content_category: 'site', primary_rmd: 'index.qmd' });
  expect(await page(output)).toContain('Home');
  expect(await page(output, 'about.html')).toContain('About');
});

test('renders a project of any type as a whole, and opens its first document where none is named', async () => {
  const files = { '_quarto.yml': 'project:\n  title: Two\n', 'a.qmd': 'First', 'b.qmd': 'Second' };
  for (const manifest of [{ content_category: 'site' }, {}]) {
    const { output } = await render(files, manifest);
    expect(await page(output)).toContain('First');
    expect(await page(output, 'b.html')).toContain('Second');
  }
});

test('renders a project whose only document is a script', async () => {
  const files = { '_quarto.yml': 'project:\n  render: [script.py]\n', 'script.py': '# Text of a script' };
  const { output } = await render(files);
  expect(await page(output)).toContain('Text of a script');
});
