// The first administrator of a new server, with the password and an API key in files of the data directory.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before } from '../platform/text.ts';

/** Creates the first administrator and an API key, or reads the key of an earlier start. */
export async function firstAdministrator(url: string, username: string, dataDir: string): Promise<string> {
  const [passwordFile, keyFile] = [join(dataDir, 'admin-password'), join(dataDir, 'admin-key')];
  const known = read(keyFile);
  if (known !== '') return known;
  // Before the account exists: if this start ends in between, the next one has its password.
  const kept = read(passwordFile);
  const password = kept || randomBytes(12).toString('base64url');
  if (kept === '') writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  const account = { username, password, email: 'admin@localhost.localdomain', first_name: 'Admin' };
  const created = await post(url, '/__api__/v1/users', account);
  const isThere = created.status === 401;
  if (!isThere) await requireOk(created);
  else if (kept === '') rmSync(passwordFile);
  const signedIn = await post(url, '/__login__', { username, password });
  if (isThere && signedIn.status === 401)
    throw new Error(
      `the data directory has users already, but no ${keyFile}: start it with npm run serve instead`,
    );
  await requireOk(signedIn);
  const cookies = signedIn.headers.getSetCookie().map((cookie) => before(cookie, ';'));
  const xsrf = cookies.find((cookie) => cookie.startsWith('RSC-XSRF='))!.slice('RSC-XSRF='.length);
  const headers = { cookie: cookies.join('; '), 'X-RSC-XSRF': xsrf };
  const made = await post(url, '/__api__/keys', { name: 'npm start' }, headers);
  await requireOk(made);
  const { key } = (await made.json()) as { key: string };
  writeFileSync(keyFile, `${key}\n`, { mode: 0o600 });
  return key;
}

/** Empty if there is none. */
function read(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
}

function post(
  url: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url + path, { method: 'POST', body: JSON.stringify(body), headers });
}

async function requireOk(response: Response): Promise<void> {
  if (!response.ok)
    throw new Error(`${new URL(response.url).pathname}: ${response.status} ${await response.text()}`);
}
