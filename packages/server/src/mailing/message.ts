// Composes the mail of a rendering: its page with everything embedded, or the body written by the report, and
// attachments.
import { lstat, readFile } from 'node:fs/promises';
import { dirname, extname, join, normalize, sep } from 'node:path';
import { unescape } from 'node:querystring';
import { lookup } from 'mime-types';
import { defaultTreeAdapter as tree, parse, serialize, type DefaultTreeAdapterMap } from 'parse5';
import { escapeHtml } from '../http/pages.ts';
import { boundedTree } from '../platform/bounded-html.ts';
import type { Mail } from '../platform/mailer.ts';
import type { ReportMail } from './report-mail.ts';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];
type Attachment = NonNullable<Mail['attachments']>[number];

export interface MailedPage {
  /** Directory of the rendering. */
  readonly root: string;
  readonly title: string;
  /** Address to open it. */
  readonly url: string;
  readonly mail: ReportMail | null;
  /** Maximum bytes of the mail. */
  readonly limit: number;
}

export type ComposedMail = Omit<Mail, 'to'>;

/** Maximum elements of a mailed page. */
const MAX_ELEMENTS = 200_000;
/** Elements that mail programs do not run or load. */
const LEFT_OUT = new Set(['script', 'iframe', 'object', 'embed', 'form', 'noscript', 'template', 'base']);
/** How pictures begin in base64: a report may name them without an extension, and mail programs show no others. */
const KINDS = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
] as const;
const PICTURE_DATA = /^data:(image\/(?:png|jpeg|gif|webp|svg\+xml));base64,([A-Za-z0-9+/=\s]+)$/;

/** @throws if a named file is larger than the limit, or missing */
export async function composeMail({ root, title, url, mail, limit }: MailedPage): Promise<ComposedMail> {
  const room = { left: limit };
  const subject = mail?.subject ?? title.replaceAll(/\s+/g, ' ');
  const foot = `<p style="color:#666;font-size:12px"><a href="${escapeHtml(url)}">${escapeHtml(title)}</a></p>`;
  const named = await Promise.all((mail?.attachments ?? []).map((path) => attached(root, path, room)));
  const text = `${mail?.text ?? title}\n\n${url}\n`;
  if (mail && (mail.html !== null || mail.text !== null)) {
    const page = mail.withoutPage ? [] : [await attached(root, 'index.html', room)];
    const html = mail.html === null ? null : `${serialize(parseHarmless(mail.html, url))}${foot}`;
    const images = Object.entries(mail.images).map(([cid, data]) => picture(cid, data, room));
    return { subject, text, ...(html !== null && { html }), attachments: [...images, ...named, ...page] };
  }
  const document = parseHarmless((await read(root, 'index.html', room)).toString(), url);
  const pictures = await embed(root, document, room);
  return { subject, text, html: `${serialize(document)}${foot}`, attachments: [...pictures, ...named] };
}

/** Puts styles inline. Returns the pictures to attach. */
async function embed(root: string, document: Node, room: { left: number }): Promise<Attachment[]> {
  const pictures: Attachment[] = [];
  for (const element of elementsOf(document)) {
    if (element.tagName === 'link') await putStyle(root, element, room);
    else if (element.tagName === 'img') await putPicture(root, element, pictures, room);
  }
  return pictures;
}

/** Without scripts and forms; links lead to where they do from the page. */
function parseHarmless(html: string, url: string) {
  const document = parse(html, { treeAdapter: boundedTree({ elements: MAX_ELEMENTS }) });
  for (const element of elementsOf(document)) {
    if (LEFT_OUT.has(element.tagName)) tree.detachNode(element);
    element.attrs = element.attrs.filter(
      ({ name, value }) => !/^on/i.test(name) && !/^\s*javascript:/i.test(value),
    );
    if (element.tagName !== 'a' && element.tagName !== 'area') continue;
    const link = element.attrs.find(({ name }) => name === 'href');
    if (link && !link.value.startsWith('#')) link.value = URL.parse(link.value, url)?.href ?? link.value;
  }
  return document;
}

function elementsOf(node: Node): Element[] {
  const found: Element[] = [];
  const waiting: Node[] = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (tree.isElementNode(next)) found.push(next);
    if ('childNodes' in next) waiting.push(...next.childNodes.toReversed());
  }
  return found;
}

async function putStyle(root: string, element: Element, room: { left: number }): Promise<void> {
  const href = attribute(element, 'href');
  const isStyle = attribute(element, 'rel') === 'stylesheet';
  const path = isStyle && href !== null ? localPath(href) : null;
  const embedded = href?.startsWith('data:text/css') ? decoded(href) : null;
  const css =
    embedded ?? (path === null ? null : (await read(root, path, room).catch(() => null))?.toString());
  if (css) {
    const style = tree.createElement('style', element.namespaceURI, []);
    tree.insertText(style, css.replaceAll('<', '\\3c '));
    const parent = tree.getParentNode(element);
    if (parent) tree.insertBefore(parent, style, element);
  }
  tree.detachNode(element);
}

async function putPicture(
  root: string,
  element: Element,
  pictures: Attachment[],
  room: { left: number },
): Promise<void> {
  const source = element.attrs.find(({ name }) => name === 'src');
  if (!source) return;
  const [, type, data] = PICTURE_DATA.exec(source.value) ?? [];
  const path = localPath(source.value);
  const content =
    data === undefined
      ? path === null
        ? null
        : await read(root, path, room).catch(() => null)
      : Buffer.from(data, 'base64');
  if (content === null) return;
  const cid = `picture-${pictures.length + 1}`;
  const contentType = type ?? (lookup(path ?? '') || 'application/octet-stream');
  const name = `${cid}.${type === undefined ? extname(path ?? '').slice(1) : type.slice(6).replace('+xml', '')}`;
  pictures.push({ cid, filename: name, content, contentType });
  source.value = `cid:${cid}`;
}

function attribute({ attrs }: Element, name: string): string | null {
  return attrs.find((one) => one.name === name)?.value ?? null;
}

/** Null for an external address. */
function localPath(reference: string): string | null {
  if (/^([a-z][a-z0-9+.-]*:|\/)/i.test(reference)) return null;
  try {
    return decodeURIComponent(reference.replace(/[?#].*$/, ''));
  } catch {
    return null;
  }
}

function decoded(address: string): string {
  const at = address.indexOf(',');
  const isBase64 = address.slice(0, at).endsWith(';base64');
  const encoded = address.slice(at + 1);
  // A `%` that encodes nothing stays, as in browsers.
  return isBase64 ? Buffer.from(encoded, 'base64').toString() : unescape(encoded);
}

async function attached(root: string, path: string, room: { left: number }): Promise<Attachment> {
  const name = path.split(sep).at(-1) ?? path;
  return { filename: name === 'index.html' ? 'report.html' : name, content: await read(root, path, room) };
}

function picture(cid: string, data: string, room: { left: number }): Attachment {
  const content = Buffer.from(data, 'base64');
  take(room, content.length, cid);
  const contentType = lookup(cid) || (KINDS.find(([start]) => data.startsWith(start))?.[1] ?? '');
  return { cid, filename: cid, content, ...(contentType && { contentType }) };
}

/** Reads a regular file of the rendering; does not follow links. */
async function read(root: string, path: string, room: { left: number }): Promise<Buffer> {
  const name = normalize(path);
  if (name.startsWith(sep) || name.startsWith('..')) throw new Error(`the report names ${path}`);
  const file = join(root, name);
  for (let directory = dirname(name); directory !== '.'; directory = dirname(directory))
    if (!(await lstat(join(root, directory))).isDirectory()) throw new Error(`the report names ${path}`);
  const found = await lstat(file).catch(() => null);
  if (!found?.isFile()) throw new Error(`the rendering has no file ${path}`);
  take(room, found.size, path);
  return readFile(file);
}

function take(room: { left: number }, bytes: number, path: string): void {
  room.left -= bytes;
  if (room.left < 0) throw new Error(`the mail is too large with ${path} (Mail.MaxSize)`);
}
