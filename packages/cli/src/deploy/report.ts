// The report of a deploy as Markdown: address, differences from the live bundle, and log. For CI comments.
import { open, writeFile } from 'node:fs/promises';
import type { Client } from '@pressroom/api/client';
import { printable, type DeployEvent } from '@pressroom/api/publish';
import { changeLines, compareBundles } from '../bundle-changes.ts';
import { EXIT, exitCodeOf, failureLines, UsageError } from '../exit-codes.ts';
import { createTerminal, type Terminal } from '../terminal/terminal.ts';

/** Maximum lines: the last ones of the log, the first ones of differences. */
const MAX_LINES = 100;

type Deployed = DeployEvent & { type: 'done' };

export interface DeployReport {
  /** Its notes are the log. */
  readonly log: Terminal;
  /** The deploy has succeeded; its result could not be read. */
  unread(): void;
  /** Reads the differences. Never throws: the deploy has succeeded. */
  deployed(client: Client, event: Deployed, signal: AbortSignal): Promise<void>;
}

/** What the report begins with unless there is an address; by exit code. */
const HEADLINES = new Map<number, string>([
  [EXIT.ok, 'Published.'],
  [EXIT.unknown, 'The outcome of the deploy is unknown.'],
  [EXIT.cancelled, 'The deploy was cancelled.'],
]);

const UNREAD = 'The deploy has succeeded. Its result could not be read.';

/**
 * Writes the file after `run`, even if it throws.
 * @param file absolute path
 * @param run returns the exit code
 * @param note is told when the file cannot be written after all, which changes no exit code
 */
export async function withReport(
  file: string,
  run: (report: DeployReport) => Promise<number>,
  note: (line: string) => void,
): Promise<number> {
  await requireWritable(file);
  let log = '';
  const seen = { url: null as string | null, differs: [] as string[], isUnread: false };
  const stderr = { write: (text: string) => (log += text) };
  const terminal = createTerminal({ stdout: { write: () => undefined }, stderr, now: Date.now });
  let code: number = EXIT.failed;
  try {
    code = await run({
      log: terminal,
      unread: () => (seen.isUnread = true),
      async deployed(client, event, signal) {
        seen.url = event.url;
        seen.differs = await differsFromLive(client, event, signal);
      },
    });
  } catch (error) {
    for (const line of failureLines(error)) terminal.note(line);
    code = exitCodeOf(error);
    throw error;
  } finally {
    const { url, differs, isUnread } = seen;
    const headline = isUnread ? UNREAD : (HEADLINES.get(code) ?? 'The deploy failed.');
    const parts = [`**${url === null ? headline : linkTo(url)}**\n`];
    if (differs.length > 0) parts.push(folded('What differs from what is live', differs.slice(0, MAX_LINES)));
    parts.push(folded('Log', log.trimEnd().split('\n').slice(-MAX_LINES)));
    await writeFile(file, parts.join('\n')).catch((error: unknown) => note(unwritable(file, error)));
  }
  return code;
}

function unwritable(file: string, error: unknown): string {
  return `Cannot write ${file} (${(error as NodeJS.ErrnoException).code}).`;
}

/** Throws UsageError: a deploy that succeeds must not fail because of its report. */
async function requireWritable(file: string): Promise<void> {
  try {
    await (await open(file, 'a')).close();
  } catch (error) {
    throw new UsageError(unwritable(file, error));
  }
}

/** Empty for the live bundle itself. */
async function differsFromLive(
  client: Client,
  { content: { guid }, bundle_id: after, draft }: Deployed,
  signal: AbortSignal,
): Promise<string[]> {
  if (!draft) return [];
  try {
    const bundles = await Array.fromAsync(client.each.getBundles({ guid }, { signal }));
    const before = bundles.find(({ active }) => active)?.id;
    if (before === undefined) return ['Nothing is live.'];
    const ids = { before, after };
    return changeLines(ids, await compareBundles(client, guid, ids, signal), false).map(printable);
  } catch (error) {
    return failureLines(error).map(printable);
  }
}

/** Any text may come from a server: another line could be a command, and `](` another link. */
function linkTo(address: string): string {
  const escaped = { '<': '%3C', '>': '%3E', '(': '%28', ')': '%29' } as const;
  const href = URL.parse(address)?.href.replaceAll(/[<>()]/g, (one) => escaped[one as '<']) ?? '';
  return /^https?:\/\//.test(href) ? `[${href}](${href})` : 'Published.';
}

/** Lines are indented: Markdown shows them unchanged, and GitLab does not execute commands such as /merge. */
function folded(title: string, lines: readonly string[]): string {
  const text = lines.map((line) => `    ${line}\n`).join('');
  return `<details><summary>${title}</summary>\n\n${text}\n</details>\n`;
}
