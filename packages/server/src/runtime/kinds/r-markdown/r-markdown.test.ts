// Covers rendering of R Markdown, with the real R of this machine.
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from '@pressroom/api/contract';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { takeReportMail } from '../../../mailing/report-mail.ts';
import { collectOutput } from '../../collect-output.ts';
import { processesWith, renderBundle, startBench, type Bench } from '../../testing.ts';
import { rMarkdown } from './index.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await startBench(300);
});
afterAll(() => bench[Symbol.asyncDispose]());

const chunk = (code: string) => `\`\`\`{r}\n${code}\n\`\`\`\n`;
const document = (front: string, body: string) => `---\n${front}\n---\n\n${body}`;
const render = (
  files: Record<string, string>,
  manifest: Partial<Manifest> = { primary_rmd: 'report.Rmd' },
  options?: Parameters<typeof renderBundle>[4],
) => renderBundle(bench, rMarkdown, manifest, files, options);
const page = (output: string) => readFile(join(output, 'index.html'), 'utf8');

describe('R Markdown document', () => {
  test('renders to index.html with front matter parameters and content variables', async () => {
    const body = `Answer \`r params$n * 7\` of \`r Sys.getenv("RSC_REPORT_NAME")\`\n`;
    const { output, lines } = await render(
      { 'report.Rmd': document('title: Report\nparams:\n  n: 6', body) },
      { primary_rmd: 'report.Rmd', has_parameters: true },
      { env: { RSC_REPORT_NAME: 'Sales' } },
    );
    expect(await page(output)).toContain('Answer 42 of Sales');
    expect(await readdir(output)).toEqual(['index.html']);
    expect(lines.join('\n')).toContain('Output created: report.html');
    expect(lines.join('\n')).not.toContain(bench.directory);
  });

  test('has its pictures, libraries and named files beside it when it is not self-contained', async () => {
    const front = [
      'title: Report',
      'output:',
      '  html_document:',
      '    self_contained: false',
      '  pdf_document: default',
      'resource_files:',
      '  - notes.txt',
      'rmd_output_metadata:',
      '  rsc_output_files: [made.csv]',
    ].join('\n');
    const body = `![a](images/a.svg)\n\n${chunk('plot(1)\nwrite.csv(1, "made.csv")')}`;
    const { output } = await render({
      'report.Rmd': document(front, body),
      'images/a.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'notes.txt': 'notes',
      'secret.csv': 'not named anywhere',
    });
    const files = await readdir(output, { recursive: true });
    expect(files).toEqual(
      expect.arrayContaining(['index.html', 'images/a.svg', 'notes.txt', 'made.csv', 'report_files']),
    );
    expect(files).not.toContain('secret.csv');
    const html = await page(output);
    for (const [, path] of html.matchAll(/<(?:img|script|link)[^>]+(?:src|href)="([^":#]+)"/g))
      expect(files).toContain(decodeURIComponent(path!));
  });

  test('brings the files that it links to and ignores invalid links', async () => {
    const links = ['growth_50%.csv', 'Gr%C3%BC%C3%9Fe.csv', '100%', 'Gr%FC.csv', 'nul%00.csv', 'a&amp;b.csv'];
    const body = links.map((link) => `<a href="${link}">x</a>`).join('\n');
    const { output } = await render({
      'report.Rmd': document('title: Report\noutput: html_fragment', body),
      'growth_50%.csv': '1',
      'Grüße.csv': '2',
      'a&b.csv': '3',
    });
    const files = ['Grüße.csv', 'a&b.csv', 'growth_50%.csv', 'index.html'];
    expect((await readdir(output)).toSorted()).toEqual(files.toSorted());
  });

  test('keeps the name of another output format; index.html links to it, and its mail attaches it', async () => {
    const front = 'title: "A <b> & c"\noutput: word_document';
    const { output } = await render({ 'report.Rmd': document(front, 'Text') });
    expect(await takeReportMail(output, 1000)).toMatchObject({ attachments: ['report.docx'] });
    expect((await readdir(output)).toSorted()).toEqual(['index.html', 'report.docx']);
    expect(await page(output)).toContain('<a href="report.docx">');
    expect(await page(output)).toContain('A &lt;b&gt; &amp; c');
  });

  test('reports the lines and the cause of a failure', async () => {
    const failing = render({ 'report.Rmd': document('title: x', chunk('y <- x_missing + 1')) });
    await expect(failing).rejects.toMatchObject({
      code: 1,
      // Newer versions of knitr count the first line of the chunk.
      message: expect.stringMatching(
        /^Quitting from lines [56]-7 \(report\.Rmd\): object 'x_missing' not found$/,
      ),
      payload: { file: 'report.Rmd', at: expect.toSatisfy((at) => at === 5 || at === 6), kind: 'code' },
    });
  });

  test.each([
    ['x <- read.csv("C:/Users/eva/data.csv")', 'C:/Users/eva/data.csv'],
    ['load("data/model.RData")', 'data/model.RData'],
  ])('names the file that %s does not find', async (code, file) => {
    await expect(render({ 'report.Rmd': document('title: x', chunk(code)) })).rejects.toMatchObject({
      payload: { kind: 'missing-file', hint: expect.stringContaining(`Is ${file} in the bundle`) as string },
    });
  });

  test('names the file when the mail that it describes is no JSON', async () => {
    const body = chunk('writeLines("{rsc_email_subject: 1}", ".output_metadata.json")');
    await expect(render({ 'report.Rmd': document('title: x', body) })).rejects.toThrow(
      'no JSON to .output_metadata.json',
    );
  });

  test('knows the time zone of the machine without asking systemd, whose answer would be in the report', async () => {
    const { output, lines } = await render({
      'report.Rmd': document('title: Zone\noutput: html_fragment', chunk('cat("in", Sys.timezone())')),
    });
    const zone = (await readlink('/etc/localtime')).replace(/^.*zoneinfo\//, '');
    expect(await page(output)).toContain(`in ${zone}`);
    expect(await page(output)).not.toContain('Warning');
    expect(lines.join('\n')).not.toMatch(/systemd|bus/);
  });

  test('leaves no process after a cancelled rendering', async () => {
    const sleep = `sleep 602.${process.pid}`;
    const cancel = new AbortController();
    const body = chunk(`system("${sleep}")`);
    const rendering = render({ 'report.Rmd': document('title: x', body) }, undefined, {
      signal: cancel.signal,
    });
    const settled = Promise.allSettled([rendering]);
    await vi.waitFor(async () => expect(await processesWith(sleep)).not.toEqual([]), 55_000);
    cancel.abort(new Error('cancelled'));
    await settled;
    await expect(rendering).rejects.toThrow('cancelled');
    expect(await processesWith(sleep)).toEqual([]);
  });

  test('defaults to index.Rmd (contract, 4.3, upload rule 2) and publishes no links from its output', async () => {
    const body = chunk(
      `o <- commandArgs(TRUE)[[3]]
       file.symlink("/etc/passwd", file.path(o, "passwd"))
       file.symlink("/", file.path(o, "root"))
       system(paste("mkfifo", file.path(o, "pipe")))`,
    );
    const { output } = await render(
      { 'index.Rmd': document('title: Index\noutput: html_fragment', `${body}\nFound`) },
      { primary_rmd: null },
    );
    expect(await page(output)).toContain('Found');
    expect(await readdir(output)).toHaveLength(4);
    const served = `${output}-served`;
    const told: string[] = [];
    await collectOutput(output, served, { print: (line) => told.push(line) });
    expect(await readdir(served)).toEqual(['index.html']);
    expect(told).toHaveLength(3);
  });
});

describe('R Markdown site', () => {
  const site = { primary_rmd: 'index.Rmd', content_category: 'site' };

  test('renders as a whole', async () => {
    const { output } = await render(
      {
        '_site.yml': 'name: s\nnavbar:\n  title: S\n',
        'index.Rmd': document('title: Home', '[Other](other.html)'),
        'other.Rmd': document('title: Other', chunk('cat("of the other page")')),
      },
      site,
    );
    const files = await readdir(output);
    expect(files).toEqual(expect.arrayContaining(['index.html', 'other.html', 'site_libs']));
    expect(files.filter((file) => file.endsWith('.Rmd'))).toEqual([]);
    expect(await readFile(join(output, 'other.html'), 'utf8')).toContain('of the other page');
  });

  test('fails without pages to build', async () => {
    await expect(render({ 'report.Rmd': 'text' }, site)).rejects.toMatchObject({
      code: 1,
      message: expect.stringMatching(/no R Markdown site/),
    });
  });
});
