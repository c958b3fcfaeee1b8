// A backup of the server for administrators who have just signed in: created on request and downloaded.
import { isFresh } from '../../sign-in/fresh-session.ts';
import { html } from '../html.ts';
import { type Page, type PageRequest, requireAdministrator } from '../page.ts';
import { form, signInAgain } from '../parts.ts';

export async function backup(request: PageRequest): Promise<Page> {
  const { parts, visit } = request;
  await requireAdministrator(request);
  const { config } = parts;
  const missing = [
    config['Database.URL'] !== '' && 'The database is not in it: back up PostgreSQL with pg_dump first.',
    config['Storage.Type'] === 's3' && 'Bundles are not in it: they are in the S3 store.',
    config['Secrets.Key'] !== '' && 'The key is not in it: keep a copy of the setting Secrets.Key.',
  ].filter((line) => line !== false);
  const action = (await isFresh(parts, visit))
    ? form(request, '/backup/download', html`<button>Back up and download</button>`, html`data-again`)
    : html`<p>
        A backup contains everything, keys included. Sign in again, and download it within ten minutes.
        ${signInAgain(request, '/backup')}
      </p>`;
  return {
    title: 'Backup',
    section: 'server',
    body: html`<p>
        The database, bundles, deployed content and the key, in one file. Protect it like the server. To
        restore it:
        <code>npm run restore</code>, see the documentation. From a terminal:
        <code>pressroom admin backup</code>.
      </p>
      ${
        missing.length > 0 &&
        html`<ul>
          ${missing.map((line) => html`<li>${line}</li>`)}
        </ul>`
      }${action}`,
  };
}
