// The mail that a report describes: `rsc_email_*` of its output metadata, left by its rendering.
import { lstat, readFile, rm } from 'node:fs/promises';
import { join, normalize, sep } from 'node:path';
import { errors } from '@pressroom/api/contract';
import { isObject } from '../platform/is-object.ts';

/** The file that render scripts leave in the output directory. */
const MAIL_FILE = '.pressroom-mail.json';
const MAX_ATTACHMENTS = 20;
const MAX_SUBJECT_LENGTH = 200;

export interface ReportMail {
  readonly subject: string | null;
  /** Replaces the rendering as body; null for none. */
  readonly html: string | null;
  readonly text: string | null;
  /** Suppresses the mail of a scheduled rendering. */
  readonly isSuppressed: boolean;
  /** Whether the page is left out, if there is a body. */
  readonly withoutPage: boolean;
  /** Attached files of the rendering. */
  readonly attachments: readonly string[];
  /** Pictures for `cid:` references of the body, in base64. */
  readonly images: Readonly<Record<string, string>>;
}

/**
 * Removes the file from the output. Null if the report describes no mail; invalid fields are ignored.
 * @param limit in bytes @throws ApiError 1 for more: without what it says, people would be mailed who are not to be
 */
export async function takeReportMail(directory: string, limit: number): Promise<ReportMail | null> {
  const file = join(directory, MAIL_FILE);
  const found = await lstat(file).catch(() => null);
  if (!found?.isFile()) return null;
  if (found.size > limit)
    throw errors.internal({
      message: `the mail that the report describes is too large: rsc_email_* have ${found.size} bytes, and Mail.MaxSize is ${limit}`,
    });
  const text = await readFile(file, 'utf8');
  await rm(file);
  return readReportMail(text);
}

/** As stored with a rendering. */
export function storedMail(mail: string | null): ReportMail | null {
  return mail === null ? null : (JSON.parse(mail) as ReportMail);
}

/** @param text JSON written by content */
export function readReportMail(text: string): ReportMail | null {
  const said = parsed(text);
  if (said === null) return null;
  const images = said['rsc_email_images'];
  return {
    subject: line(textOf(said['rsc_email_subject'])),
    html: textOf(said['rsc_email_body_html']),
    text: textOf(said['rsc_email_body_text']),
    isSuppressed: truth(said['rsc_email_suppress_scheduled']),
    withoutPage: truth(said['rsc_email_suppress_report_attachment']),
    attachments: [said['rsc_email_attachments'] ?? []].flat().flatMap(pathOf).slice(0, MAX_ATTACHMENTS),
    images: Object.fromEntries(
      Object.entries(isObject(images) ? images : {}).filter(([, data]) => typeof data === 'string'),
    ) as Record<string, string>,
  };
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const read: unknown = JSON.parse(text);
    return isObject(read) ? read : null;
  } catch {
    return null;
  }
}

/** R may write a single text as a list of one, and several lines as a list. */
function textOf(value: unknown): string | null {
  const all = [value].flat().filter((one) => typeof one === 'string');
  return all.length === 0 ? null : all.join('\n');
}

function line(text: string | null): string | null {
  const clean = text?.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_SUBJECT_LENGTH);
  return clean ? clean : null;
}

function truth(value: unknown): boolean {
  const [one] = [value].flat();
  return one === true || (typeof one === 'string' && /^(true|yes)$/i.test(one));
}

/** Relative to the output directory. */
function pathOf(value: unknown): string[] {
  if (typeof value !== 'string' || value === '') return [];
  const path = normalize(value);
  return path.startsWith(sep) || path.startsWith('..') || path.includes('\0') ? [] : [path];
}
