import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findOtherRecord } from './find-other-record.ts';

const SERVER = 'https://example.com/connect';
const GUID = 'b5fbd52c-483b-4c59-8f76-0760d266e496';
const OTHER = '7e2d2c15-65a8-493e-bbf3-90f1d57cc8a5';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pressroom-other-records-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function write(name: string, text: string): Promise<string> {
  const file = path.join(dir, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}
const json = (guid: unknown, server = SERVER) =>
  JSON.stringify({ [server]: { server_url: server, app_id: '12', app_guid: guid, title: 'site' } });
const dcf = (id: string, address = `${SERVER}/content/${GUID}/`) =>
  `name: report\nserver: pro\nhostUrl: ${SERVER}/__api__\nappId: ${id}\nurl: ${address}\n`;

test('finds what rsconnect-python, rsconnect and Posit Publisher recorded', async () => {
  const of = async (name: string, text: string) => {
    await write(name, text);
    const found = await findOtherRecord(dir, SERVER);
    await rm(path.join(dir, name));
    return found;
  };
  expect(await of('rsconnect-python/site.json', json(GUID))).toEqual({
    client: 'rsconnect-python',
    guid: GUID,
  });
  const rsconnect = { client: 'rsconnect', guid: GUID };
  expect(await of('rsconnect/pro/ada/site.dcf', dcf('7'))).toEqual(rsconnect);
  expect(await of('rsconnect/documents/index.Rmd/pro/ada/report.dcf', dcf(GUID, 'none'))).toEqual(rsconnect);
  expect(
    await of('.posit/publish/deployments/site.toml', `server_url = "${SERVER}"\nid = "${GUID}"\n`),
  ).toEqual({ client: 'Posit Publisher', guid: GUID });
});

test('takes the newest of several records for the server', async () => {
  const older = await write('rsconnect-python/app.json', json(OTHER));
  await utimes(older, 1, 1);
  await write('rsconnect/pro/ada/site.dcf', dcf('7'));
  await write('rsconnect-python/elsewhere.json', json(OTHER, 'https://example.org'));
  expect(await findOtherRecord(dir, SERVER)).toEqual({ client: 'rsconnect', guid: GUID });
});

test.each([
  ['no JSON', 'rsconnect-python/a.json', '{'],
  ['a list', 'rsconnect-python/a.json', '[1]'],
  ['no GUID', 'rsconnect-python/a.json', json('../x')],
  ['an address that is none', 'rsconnect-python/a.json', json(GUID, 'ftp://example.com')],
  [
    'an account of shinyapps.io',
    'rsconnect/shinyapps.io/ada/a.dcf',
    'hostUrl: https://api.shinyapps.io/v1\nappId: 1\n',
  ],
  ['no TOML', '.posit/publish/deployments/a.toml', 'id ='],
])('passes over a record with %s', async (_what, name, text) => {
  await write(name, text);
  expect(await findOtherRecord(dir, SERVER)).toBeUndefined();
});

test('follows no links', async () => {
  const elsewhere = await write('elsewhere/site.json', json(GUID));
  await symlink(path.dirname(elsewhere), path.join(dir, 'rsconnect'));
  await mkdir(path.join(dir, 'rsconnect-python'));
  await symlink(elsewhere, path.join(dir, 'rsconnect-python/site.json'));
  expect(await findOtherRecord(dir, SERVER)).toBeUndefined();
});
