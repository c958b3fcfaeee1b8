// Covers e-mails of renderings: they embed what they need, and nothing from elsewhere.
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { composeInThread } from './compose-in-thread.ts';
import { composeMail } from './message.ts';
import { readReportMail, takeReportMail, type ReportMail } from './report-mail.ts';

const PAGE = `<!doctype html><title>x</title><link rel="stylesheet" href="libs/site.css">
<link rel="stylesheet" href="https://elsewhere.example/x.css"><script>alert(1)</script>
<img src="plot%201.png"><img src="data:image/png;base64,AAAA"><img src="../../secret.png"><img src="https://elsewhere.example/a.png">
<p onclick="alert(1)"><a href="javascript:alert(1)">go</a></p><form action="https://x"></form><iframe src="x"></iframe>`;

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pressroom-mail-'));
  await mkdir(join(root, 'libs'));
  await writeFile(join(root, 'index.html'), PAGE);
  await writeFile(join(root, 'libs/site.css'), 'p { color: red } </style><script>');
  await writeFile(join(root, 'plot 1.png'), 'a picture');
  await writeFile(join(root, 'data.csv'), '1,2');
  await symlink('/etc/passwd', join(root, 'passwd'));
  await symlink('/etc', join(root, 'etc'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const compose = (said: object | null, limit = 1e6) => {
  const mail = said && readReportMail(JSON.stringify(said));
  return composeMail({
    root,
    title: 'Sales <b>',
    url: 'https://s/content/1/',
    mail: mail as ReportMail | null,
    limit,
  });
};

test('embeds styles and pictures of a page, and removes scripts and forms', async () => {
  const { html = '', attachments = [], subject } = await compose(null);
  expect(subject).toBe('Sales <b>');
  expect(html).toContain('color: red');
  expect(html).toContain('Sales &lt;b&gt;');
  for (const word of ['alert', '<script', '<form', '<iframe', 'x.css', 'onclick'])
    expect(html).not.toContain(word);
  expect(attachments.map(({ cid, filename }) => [cid, filename])).toEqual([
    ['picture-1', 'picture-1.png'],
    ['picture-2', 'picture-2.png'],
  ]);
  expect(attachments[0]?.content.toString()).toBe('a picture');
  expect(html).toContain('src="../../secret.png"');
});

test('links of the page lead to the server, and those within it stay', async () => {
  const page = await mkdtemp(join(tmpdir(), 'pressroom-mail-'));
  onTestFinished(() => rm(page, { recursive: true }));
  const links = ['data.csv', '../2/?a=1', '/x', 'https://elsewhere.example/y', 'mailto:a@b.example', '#top'];
  const html = links.map((link) => `<a href="${link}">x</a>`).join('');
  await writeFile(join(page, 'index.html'), html);
  const expected = [
    'https://s/content/1/data.csv',
    'https://s/content/2/?a=1',
    'https://s/x',
    ...links.slice(3),
  ];
  for (const said of [null, { rsc_email_body_html: html }]) {
    const mail = said && readReportMail(JSON.stringify(said));
    const sent = await composeMail({ root: page, title: 'x', url: 'https://s/content/1/', mail, limit: 1e6 });
    const found = [...(sent.html ?? '').matchAll(/href="([^"]*)"/g)].map(([, link]) => link);
    expect(found.slice(0, -1)).toEqual(expected);
  }
});

test('a picture of the report’s own body has the type of its content where its name says none', async () => {
  const png = Buffer.from('89504e470d0a1a0a00', 'hex').toString('base64');
  const { attachments } = await compose({
    rsc_email_body_html: '<img src="cid:plot">',
    rsc_email_images: { plot: png, 'a.gif': png, other: 'eA==' },
    rsc_email_suppress_report_attachment: true,
  });
  expect(attachments?.map(({ contentType }) => contentType)).toEqual(['image/png', 'image/gif', undefined]);
});

test('a description of the mail larger than Mail.MaxSize fails the rendering, instead of being left out', async () => {
  const output = await mkdtemp(join(tmpdir(), 'pressroom-mail-'));
  onTestFinished(() => rm(output, { recursive: true }));
  const images = { plot: 'A'.repeat(2 ** 20) };
  const text = JSON.stringify({ rsc_email_images: images, rsc_email_suppress_scheduled: true });
  await writeFile(join(output, '.pressroom-mail.json'), text);
  await expect(takeReportMail(output, 2 ** 20)).rejects.toThrow('Mail.MaxSize is 1048576');
  expect(await takeReportMail(output, 2 ** 21)).toMatchObject({ isSuppressed: true, images });
});

test.each([
  ['data:text/css,p{width:100%25}', 'p{width:100%}'],
  // Browsers take it as it is, too.
  ['data:text/css,p{width:100%}', 'p{width:100%}'],
  [`data:text/css;base64,${Buffer.from('p{margin:0}').toString('base64')}`, 'p{margin:0}'],
])('embeds the style %s', async (href, style) => {
  const page = await mkdtemp(join(tmpdir(), 'pressroom-mail-'));
  onTestFinished(() => rm(page, { recursive: true }));
  await writeFile(join(page, 'index.html'), `<link rel="stylesheet" href="${href}"><p>text</p>`);
  const { html } = await composeMail({ root: page, title: 'x', url: 'https://s/', mail: null, limit: 1e6 });
  expect(html).toContain(`<style>${style}</style>`);
});

test('uses the report’s own body instead of the page, which it attaches', async () => {
  const said = {
    rsc_email_subject: ['Low\r\nBcc: x@example.com'],
    rsc_email_body_html:
      '<p onclick="a()">Three are left <img src="cid:plot"></p><form><input></form><script>b()</script>',
    rsc_email_images: { plot: Buffer.from('png').toString('base64') },
    rsc_email_attachments: ['data.csv', '/etc/passwd', '../x'],
  };
  const mail = await compose(said);
  expect(mail.subject).toBe('Low Bcc: x@example.com');
  expect(mail.html).toContain('<p>Three are left <img src="cid:plot"></p>');
  for (const word of ['onclick', '<form', '<script']) expect(mail.html).not.toContain(word);
  expect(mail.attachments?.map(({ filename }) => filename)).toEqual(['plot', 'data.csv', 'report.html']);
  const alone = await compose({ ...said, rsc_email_suppress_report_attachment: 'TRUE' });
  expect(alone.attachments?.map(({ filename }) => filename)).toEqual(['plot', 'data.csv']);
});

test.each(['passwd', 'etc/hostname', 'none.csv'])(
  'rejects the attachment %s, which is not a file of the rendering',
  async (path) => {
    await expect(compose({ rsc_email_attachments: path })).rejects.toThrow(/has no file|names/);
  },
);

test('rejects a mail that exceeds Mail.MaxSize', async () => {
  await expect(compose({ rsc_email_attachments: 'data.csv' }, 100)).rejects.toThrow('Mail.MaxSize');
});

test('rejects a page that grows while it is parsed or is nested too deeply', async () => {
  const open = Array.from({ length: 500 }, (_, i) => `<b a=${i}>`).join('');
  for (const page of [`<p>${open}${'<p>x'.repeat(10_000)}`, '<div>'.repeat(50_000)]) {
    await writeFile(join(root, 'index.html'), page);
    await expect(compose(null)).rejects.toThrow(/the page/);
  }
  await writeFile(join(root, 'index.html'), PAGE);
});

test('a worker thread composes the same mail, and rejects oversized and slow pages', async () => {
  const page = { root, title: 'Sales', url: 'https://s/', mail: null, limit: 1e6 };
  const mail = await composeInThread(page);
  expect(mail).toEqual(await composeMail(page));
  expect(mail.attachments?.[0]?.content.toString()).toBe('a picture');
  await expect(composeInThread({ ...page, limit: 1 })).rejects.toThrow('Mail.MaxSize');
  // The main thread would finish before its timeout.
  await expect(composeInThread(page, 1)).rejects.toThrow('too long');
});

test('ignores invalid mail fields of a report', () => {
  for (const text of ['', '[1]', 'null', '{"rsc_email_subject"']) expect(readReportMail(text)).toBeNull();
  expect(
    readReportMail('{"rsc_email_subject": 1, "rsc_email_images": [1], "rsc_email_attachments": {"a": 1}}'),
  ).toEqual({
    subject: null,
    html: null,
    text: null,
    isSuppressed: false,
    withoutPage: false,
    attachments: [],
    images: {},
  });
});
