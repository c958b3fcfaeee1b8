// The page for a person when an application does not start or has crashed: with its log for collaborators, and whom to
// ask for others.
import type { ServerResponse } from 'node:http';
import { ApiError } from '@pressroom/api/contract';
import { loadContent } from '../content/commands.ts';
import { dashboardUrl } from '../content/present.ts';
import type { ContentRow } from '../content/store.ts';
import { escapeHtml, sendHtml } from '../http/pages.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { listJobs } from '../jobs/store.ts';
import type { Config } from '../main/config/settings.ts';
import { seesAccount, seesEmail } from '../people/policy.ts';
import { findUser } from '../people/store.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Unavailable } from '../runtime/unavailable.ts';
import type { Caller } from '../sign-in/authenticator.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly jobs: Jobs;
}

export interface Failure {
  readonly content: ContentRow;
  readonly caller: Caller | null;
  readonly error: Unavailable;
  /** The server's own address, without a trailing slash. */
  readonly main: string;
}

const LINES_SHOWN = 100;
/** Texts for this page, where the log follows, or the visitor may not read it. */
const MESSAGES: Readonly<Partial<Record<string, string>>> = {
  'The content does not start': 'This content could not be started.',
  'The content stopped': 'The process that ran this content ended.',
};

/** Only for requests of `isPageVisit`: pages of content cannot read the response. */
export async function sendFailurePage(
  parts: Parts,
  response: ServerResponse,
  failure: Failure,
): Promise<void> {
  const { content, error, caller } = failure;
  const log = caller && (await logFor(parts, content, caller));
  const more = log === null ? await whomToAsk(parts, failure) : logPart(log, failure);
  const title = content.title ?? content.name;
  const message = escapeHtml(MESSAGES[error.title] ?? error.message);
  const body = `<h1>${escapeHtml(error.title)}</h1><p><strong>${escapeHtml(title)}</strong></p><p>${message}</p>${more}
<p><a href="">Try again</a></p>`;
  if (response.destroyed) return;
  if (error.retryAfter !== null) response.setHeader('Retry-After', error.retryAfter);
  sendHtml(response, error.status, error.title, body, { isWide: log !== null });
}

/** Output of the last process; null for visitors who may not read it. */
async function logFor(
  { storage, jobs }: Parts,
  { guid }: ContentRow,
  caller: Caller,
): Promise<string[] | null> {
  try {
    await loadContent(storage.db, guid, caller, 'readJobs');
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
  const [last] = await listJobs(storage.db, guid);
  if (!last) return [];
  const { entries } = await jobs.readLog(guid, last.key, 0);
  return entries.slice(-LINES_SHOWN).map(({ data }) => data);
}

function logPart(lines: readonly string[], { content, main }: Failure): string {
  const dashboard = escapeHtml(dashboardUrl(main, content.guid));
  const text = escapeHtml(lines.join('\n')) || 'No output.';
  return `<h2>What the last process printed</h2><pre tabindex="0" aria-label="Log">${text}</pre>
<p>Only the owner, collaborators and administrators see this log.
<a href="${dashboard}/logs">All logs</a> · <a href="${dashboard}">Restart, or activate another bundle</a></p>`;
}

async function whomToAsk({ storage, config }: Parts, { content, caller }: Failure): Promise<string> {
  const owner = await findUser(storage.db, content.owner_guid);
  if (!owner || !caller || !seesAccount(config, caller, owner.guid))
    return '<p>Ask the person who sent you here.</p>';
  const name = escapeHtml(`${owner.first_name} ${owner.last_name}`.trim() || owner.username);
  const isShown = owner.email !== '' && seesEmail(config, caller);
  const address = isShown
    ? ` (<a href="mailto:${escapeHtml(owner.email)}">${escapeHtml(owner.email)}</a>)`
    : '';
  return `<p>Its owner is ${name}${address}. Tell them what you saw, and when.</p>`;
}
