// A backup of the server, for administrators who have just signed in: made now, and downloaded.
import { errors } from '@pressroom/api/contract';
import { hashSecret } from '../../sign-in/authenticator.ts';
import { findSession } from '../../sign-in/store.ts';
import { html } from '../html.ts';
import type { Page, PageRequest } from '../page.ts';
import { form } from '../parts.ts';

/** Microseconds after signing in: a browser that was left open gives nobody the whole server. */
const FRESH = 10 * 60_000_000;

export async function isFresh({ parts, visit }: Pick<PageRequest, 'parts' | 'visit'>): Promise<boolean> {
  if (visit.previous === null) return false;
  const session = await findSession(parts.storage.db, hashSecret(visit.previous));
  return session !== undefined && session.created_time > parts.clock.now() - FRESH;
}

export async function backup(request: PageRequest): Promise<Page> {
  const { parts, caller, base } = request;
  if (caller.role !== 'administrator') throw errors.operationDenied();
  const { config } = parts;
  const missing = [
    config['Database.URL'] !== '' && 'The database is not in it: back up PostgreSQL with pg_dump first.',
    config['Storage.Type'] === 's3' && 'Bundles are not in it: they are in the S3 store.',
    config['Secrets.Key'] !== '' && 'The key is not in it: keep a copy of the setting Secrets.Key.',
  ].filter((line) => line !== false);
  const next = new URLSearchParams({ next: `${new URL(request.root, base).pathname}/backup` }).toString();
  const action = (await isFresh(request))
    ? form(request, '/backup/download', html`<button>Back up and download</button>`)
    : html`<p>
        A backup contains everything, keys included. Sign in again, and download it within ten minutes.
        <a href="${base}/__login__?${next}">Sign in again</a>
      </p>`;
  return {
    title: 'Backup',
    section: 'server',
    body: html`<p>
        The database, bundles, deployed content and the key, in one file. Protect it like the server. To
        restore it:
        <code>npm run restore</code>, see the documentation.
      </p>
      ${
        missing.length > 0 &&
        html`<ul>
          ${missing.map((line) => html`<li>${line}</li>`)}
        </ul>`
      }${action}`,
  };
}
