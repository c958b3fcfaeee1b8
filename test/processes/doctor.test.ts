// Covers `npm run doctor`: finds what prevents a start, says how to fix it, and changes nothing.
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { errors } from '@pressroom/api/contract';
import { loadConfig } from '@pressroom/server';
import {
  COMPILE_CACHE,
  freePort,
  OIDC_CLIENT,
  openMailbox,
  startOidc,
  startTestServer,
  testCertificate,
} from '@pressroom/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { claimBucket } from '../../packages/server/src/main/claim-bucket.ts';
import { checkBucket } from '../../packages/server/src/main/doctor/check-bucket.ts';
import { checkDatabase } from '../../packages/server/src/main/doctor/check-database.ts';
import { checkEngines } from '../../packages/server/src/main/doctor/check-engines.ts';
import { checkFiles } from '../../packages/server/src/main/doctor/check-files.ts';
import {
  checkDataDirectory,
  checkDisk,
  checkGit,
  checkNode,
  checkOtherPorts,
  checkPort,
} from '../../packages/server/src/main/doctor/check-machine.ts';
import {
  checkAddresses,
  checkMail,
  checkReceivers,
} from '../../packages/server/src/main/doctor/check-network.ts';
import { checkPackages } from '../../packages/server/src/main/doctor/check-packages.ts';
import { checkSignIn } from '../../packages/server/src/main/doctor/check-sign-in.ts';
import { problemOfFailure } from '../../packages/server/src/platform/database/postgres/requirements.ts';
import { createSecrets } from '../../packages/server/src/platform/secrets/secrets.ts';

const PROGRAM = join(import.meta.dirname, '../../packages/server/src/main/doctor.ts');

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-doctor-test-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

type Overrides = Parameters<typeof loadConfig>[1];
const config = (overrides: Overrides = {}) => loadConfig({}, { 'Server.DataDir': directory, ...overrides });

async function doctor(env: Record<string, string>) {
  const options = { env: { ...COMPILE_CACHE, PATH: process.env.PATH, ...env } };
  return promisify(execFile)(process.execPath, [PROGRAM], options).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    (error: { code: number; stdout: string }) => ({ code: error.code, said: error.stdout }),
  );
}

test('exits with 0 on a healthy machine, and creates nothing', async () => {
  const dataDir = join(directory, 'data');
  const port = await freePort();
  const { code, said } = await doctor({
    PRESSROOM_SERVER_DATADIR: dataDir,
    PRESSROOM_HTTP_LISTEN: `127.0.0.1:${port}`,
  });
  expect([code, said]).toEqual([0, expect.stringContaining('Nothing keeps the server from starting.')]);
  expect(said).toMatch(/ok {4}R packages +shiny, rmarkdown, plumber/);
  expect(said).toMatch(/Isolation/);
  expect(existsSync(dataDir)).toBe(false);
});

test('exits with 1 on wrong settings, with a remedy for each', async () => {
  expect(await doctor({ PRESSROOM_LOG_LEVEL: 'loud', PRESSROOM_HTTP_LISTN: ':1' })).toMatchObject({
    code: 1,
    said: expect.stringMatching(
      /BAD {3}Settings {2}there is no setting .*LISTN[^]*→ Correct the setting[^]*BAD {3}Settings {2}Log\.Level must be one of[^]*→ Correct the setting/,
    ),
  });
  await writeFile(join(directory, 'pressroom.sqlite'), 'no database at all');
  const { code, said } = await doctor({
    PRESSROOM_SERVER_DATADIR: directory,
    PRESSROOM_APPLICATIONS_DISKRESERVE: String(2 ** 60),
    PRESSROOM_HTTP_LISTEN: `127.0.0.1:${await freePort()}`,
  });
  expect(code).toBe(1);
  expect(said).toMatch(/BAD {3}Database[^\n]*not a database\n +→ Stop the server and restore a backup/);
  expect(said).toMatch(/BAD {3}Secret key/);
  expect(said).toMatch(/BAD {3}Disk[^\n]*are kept free/);
  expect(said).toContain('3 problems to fix.');
});

describe('Check of the data directory', () => {
  test('accepts the directory of a running server, and changes nothing in it', async () => {
    await using server = await startTestServer({ settings: {} });
    const { port } = new URL(server.url);
    const own = config({ 'Server.DataDir': server.dataDir, 'HTTP.Listen': `127.0.0.1:${port}` });
    // Created by the first housekeeping after the start.
    await expect.poll(() => readdir(server.dataDir)).toContain('environments');
    const before = await readdir(server.dataDir);
    expect(checkDataDirectory(own, server.dataDir).map(({ message }) => message)).toContain(
      'a server runs with this data directory',
    );
    expect(await checkDatabase(own, server.dataDir)).toMatchObject({ state: 'good' });
    expect(await checkPort(own)).toMatchObject({
      state: 'good',
      message: expect.stringContaining('a Pressroom server listens'),
    });
    expect(await readdir(server.dataDir)).toEqual(before);
  });

  test('rejects a directory with directories of something else', async () => {
    const dataDir = join(directory, 'others');
    await mkdir(join(dataDir, 'etc'), { recursive: true });
    expect(checkDataDirectory(config(), dataDir)).toMatchObject([
      { state: 'bad', message: expect.stringContaining('has etc'), remedy: 'Set Server.DataDir.' },
    ]);
  });

  test('rejects a file, and an empty or missing key', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    expect(checkDataDirectory(config(), file)).toMatchObject([
      { state: 'bad', remedy: 'Set Server.DataDir.' },
    ]);
    await writeFile(join(directory, 'secret.key'), '\n');
    expect(checkDataDirectory(config(), directory)).toContainEqual(
      expect.objectContaining({ state: 'bad', message: expect.stringContaining('is empty') }),
    );
    await rm(join(directory, 'secret.key'));
    await writeFile(join(directory, 'pressroom.sqlite'), '');
    expect(checkDataDirectory(config(), directory)).toContainEqual(
      expect.objectContaining({ what: 'Secret key', state: 'bad' }),
    );
  });
});

test('an R that does not run is reported with its setting', async () => {
  const file = join(directory, 'R-4.4');
  const settings = { 'R.Executable': file, 'Python.Executable': '/usr/bin/python3' };
  expect(await checkEngines(config(settings))).toContainEqual(
    expect.objectContaining({ message: `${file} does not run`, remedy: 'Correct R.Executable.' }),
  );
});

describe('Check of the database', () => {
  test('rejects a database of a newer version', async () => {
    using database = new DatabaseSync(join(directory, 'pressroom.sqlite'));
    database.exec('create table schema_migration (name text)');
    database.exec(
      'insert into schema_migration with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000) select i from n',
    );
    expect(await checkDatabase(config(), directory)).toMatchObject({
      state: 'bad',
      message: expect.stringContaining('was written by a newer version'),
    });
  });

  test('rejects an empty database beside bundles of another one', async () => {
    expect(await checkDatabase(config(), directory)).toMatchObject({ state: 'good' });
    await mkdir(join(directory, 'bundles'));
    await writeFile(join(directory, 'bundles/1.tar.gz'), '');
    expect(await checkDatabase(config(), directory)).toMatchObject({
      state: 'bad',
      message: `it is empty, but ${join(directory, 'bundles')} has bundles of another one`,
    });
    const store = { 'Storage.Type': 's3', 'Storage.Bucket': 'some', 'Secrets.Key': 'k'.repeat(44) } as const;
    expect(await checkDatabase(config(store), directory)).toMatchObject({ state: 'bad' });
  });

  test('reports an unreachable PostgreSQL without its password', async () => {
    const url = `postgres://somebody:hunter2@127.0.0.1:${await freePort()}/none`;
    const found = await checkDatabase(config({ 'Database.URL': url }), directory);
    expect(found).toMatchObject({ state: 'bad', remedy: expect.stringContaining('Database.URL') });
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });
});

test('reports a port in use, and an address that is not on this machine', async () => {
  const other = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nother')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  expect(await checkPort(config({ 'HTTP.Listen': `127.0.0.1:${port}` }))).toMatchObject({
    state: 'bad',
    message: `another program listens on 127.0.0.1:${port}`,
  });
  other.close();
  expect(await checkPort(config({ 'HTTP.Listen': '192.0.2.1:3939' }))).toMatchObject({
    state: 'bad',
    message: expect.stringContaining('not an address of this machine'),
  });
});

test('checks the ports for content and metrics, too', async () => {
  expect(await checkOtherPorts(config())).toEqual([]);
  await using server = await startTestServer({ settings: {} });
  const { host } = new URL(server.url);
  const metrics = createHttpServer((_, response) => response.writeHead(404).end('GET /metrics\n'));
  await once(metrics.listen(0, '127.0.0.1'), 'listening');
  const { port } = metrics.address() as AddressInfo;
  const taken = { 'HTTP.ContentListen': host, 'Metrics.PrometheusListen': `127.0.0.1:${port}` };
  expect(await checkOtherPorts(config(taken))).toMatchObject([{ state: 'good' }, { state: 'good' }]);
  expect(await checkOtherPorts(config({ 'Metrics.PrometheusListen': host }))).toMatchObject([
    {
      state: 'bad',
      message: `another program listens on ${host}`,
      remedy: 'Stop it, or set Metrics.PrometheusListen to another port.',
    },
  ]);
  metrics.close();
});

test('checks the port of each process', async () => {
  // Nobody else has ports there.
  const host = '127.83.0.1';
  const other = createServer((socket) => socket.end()).listen(0, host);
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const metrics = (processes: number) =>
    checkOtherPorts(
      config({ 'Server.Processes': processes, 'Metrics.PrometheusListen': `${host}:${port - 1}` }),
    );
  expect(await metrics(2)).toMatchObject([
    { state: 'bad', message: `another program listens on ${host}:${port}` },
  ]);
  other.close();
  expect(await metrics(2)).toMatchObject([{ state: 'good' }]);
});

describe('Check of files in settings', () => {
  test('reports missing files', () => {
    expect(checkFiles(config({ 'Packages.Netrc': join(directory, 'netrc') }))).toEqual([
      {
        what: 'File',
        state: 'bad',
        message: `Packages.Netrc: there is no ${join(directory, 'netrc')}`,
        remedy: 'Correct the setting.',
      },
    ]);
    const url = `postgres://p@h/d?sslmode=verify-full&sslrootcert=${directory}/ca.pem`;
    expect(checkFiles(config({ 'Database.URL': url }))).toMatchObject([
      { message: `Database.URL, sslrootcert: there is no ${directory}/ca.pem` },
    ]);
  });

  test.runIf(process.getuid?.() === 0)('reports files that the server account cannot read', async () => {
    const file = join(directory, 'idp.pem');
    await writeFile(file, 'certificate', { mode: 0o600 });
    await chmod(directory, 0o755);
    const saml = {
      'Authentication.Provider': 'saml',
      'SAML.Certificate': file,
      'Server.Account': 'nobody',
    } as const;
    expect(checkFiles(config(saml))).toMatchObject([
      {
        state: 'bad',
        message: `SAML.Certificate: the account nobody, which handles requests, cannot read ${file}`,
      },
    ]);
    await chmod(file, 0o644);
    expect(checkFiles(config(saml))).toEqual([]);
  });
});

test('a PAM service without a file is reported with its setting', async () => {
  // PAM looks for the name in lower case.
  const pam = config({ 'Authentication.Provider': 'pam', 'PAM.Service': 'Pressroom' });
  const check = () => checkSignIn(pam, { pamDirectories: [directory] });
  await writeFile(join(directory, 'Pressroom'), '');
  expect(await check()).toEqual([
    {
      what: 'Sign-in',
      state: 'bad',
      message: `PAM.Service: there is no ${directory}/pressroom, so PAM uses its service "other"`,
      remedy: 'Write it (docs/secure/sign-in.md, PAM), or correct the setting.',
    },
  ]);
  await writeFile(join(directory, 'pressroom'), '');
  expect(await check()).toMatchObject([{ state: 'good', message: 'pam' }]);
});

test('an LDAP directory without TLS is reported with both remedies', async () => {
  const ldap = { 'Authentication.Provider': 'ldap', 'LDAP.UserBase': 'ou=people' } as const;
  expect(await checkSignIn(config({ ...ldap, 'LDAP.URL': 'ldap://directory.example.org' }))).toMatchObject([
    { message: expect.stringMatching(/LDAP.URL must begin with ldaps:.* LDAP.StartTLS = true/) },
  ]);
  expect(
    await checkSignIn(config({ ...ldap, 'LDAP.URL': 'directory.example.org', 'LDAP.StartTLS': true })),
  ).toMatchObject([{ message: 'ldap: LDAP.StartTLS needs an ldap:// LDAP.URL' }]);
});

test('unknown PRESSROOM variables are a warning', async () => {
  const { said } = await doctor({
    PRESSROOM_SERVER_DATADIR: directory,
    PRESSROOM_AUTH_PROVIDER: 'ldap',
    PRESSROOM_SLACK_KEYS: 'k1:',
  });
  expect(said).toMatch(/WARN {2}Settings +ignored, as no setting has that name: PRESSROOM_AUTH_PROVIDER\n/);
});

test('mail: connects to the server, and reports one that does not respond', async () => {
  expect(await checkMail(config())).toEqual([]);
  await using mailbox = await openMailbox();
  expect(await checkMail(config({ 'Mail.URL': mailbox.url }))).toMatchObject([{ state: 'good' }]);
  expect(mailbox.waiting).toBe(0);
  const closed = `smtp://ada:hunter2@127.0.0.1:${await freePort()}`;
  const found = await checkMail(config({ 'Mail.URL': closed }));
  expect(found).toMatchObject([{ state: 'bad', remedy: expect.stringContaining('Mail.URL') }]);
  expect(JSON.stringify(found)).not.toContain('hunter2');
});

test('receivers of events: one that does not respond is named by its host, without its path', async () => {
  const methods: (string | undefined)[] = [];
  const server = createHttpServer((request, response) => {
    methods.push(request.method);
    response.writeHead(405).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const closed = `127.0.0.1:${await freePort()}`;
  const found = await checkReceivers(
    config({ 'Events.Webhooks': `http://127.0.0.1:${port}/a http://${closed}/hidden` }),
  );
  server.close();
  expect(found).toMatchObject([
    { state: 'good' },
    { state: 'warning', remedy: expect.stringContaining('Events.Webhooks') },
  ]);
  expect(found[1]!.message).toMatch(`${closed} of Events.Webhooks: `);
  expect(found[1]!.message).toContain('ECONNREFUSED');
  expect(JSON.stringify(found)).not.toContain('hidden');
  expect(methods).toEqual(['HEAD']);
});

test('mail: ignores an invalid certificate on this machine only', async () => {
  const { key, certificate } = testCertificate('mail.example.com');
  const server = createTlsServer({ key, cert: certificate }, (socket) => {
    socket.on('error', () => socket.destroy()).write('220 mailbox\r\n');
    socket.on('data', () => socket.write('250 ok\r\n'));
  });
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `smtps://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await checkMail(config({ 'Mail.URL': url }))).toMatchObject([{ state: 'good' }]);
  expect(await checkMail(config({ 'Mail.URL': `${url}?tls.rejectUnauthorized=true` }))).toMatchObject([
    { state: 'bad', remedy: expect.stringContaining('NODE_EXTRA_CA_CERTS') },
  ]);
  server.close();
});

test('addresses: checks the server’s response and its certificate', async () => {
  expect(await checkAddresses(config())).toEqual([]);
  await using server = await startTestServer({ settings: {} });
  expect(await checkAddresses(config({ 'Server.Address': server.url }))).toMatchObject([
    { what: 'Address', state: 'good' },
  ]);
  const nobody = `http://127.0.0.1:${await freePort()}`;
  expect(await checkAddresses(config({ 'Server.Address': nobody }))).toMatchObject([
    { state: 'bad', message: expect.stringContaining('ECONNREFUSED') },
  ]);
  // Another site that returns this page for every path.
  const other = createHttpServer((_request, response) => response.end('{}'.padEnd(1000))).listen(
    0,
    '127.0.0.1',
  );
  await once(other, 'listening');
  const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  expect(await checkAddresses(config({ 'Server.Address': elsewhere }))).toMatchObject([
    { state: 'bad', message: expect.stringContaining('another program') },
  ]);
  other.close();
  const local = { 'Server.Address': server.url, 'Server.ContentAddress': 'http://*.localhost:3939' };
  expect(await checkAddresses(config(local))).toContainEqual(
    expect.objectContaining({ what: 'Content address', state: 'good' }),
  );
  expect(await checkAddresses(config({ 'Server.ContentAddress': 'http://*.content.invalid' }))).toMatchObject(
    [{ state: 'bad', message: 'Server.ContentAddress requires Server.Address' }],
  );
  const none = { 'Server.Address': server.url, 'Server.ContentAddress': 'http://*.content.invalid' };
  expect(await checkAddresses(config(none))).toContainEqual(
    expect.objectContaining({ state: 'bad', remedy: 'Add a wildcard record: *.content.invalid to the DNS.' }),
  );
  const { certificate: cert, key } = testCertificate('localhost');
  const secure = createSecureServer({ cert, key }, (_request, response) => response.end('{}'));
  await once(secure.listen(0, '127.0.0.1'), 'listening');
  const { port } = secure.address() as AddressInfo;
  expect(await checkAddresses(config({ 'Server.Address': `https://localhost:${port}` }))).toContainEqual(
    expect.objectContaining({ what: 'Certificate', state: 'bad' }),
  );
  secure.close();
  // An IP address needs no resolver, and this machine may lack one for IPv6.
  const byNumber = `https://[::1]:${await freePort()}`;
  expect(await checkAddresses(config({ 'Server.Address': byNumber }))).toContainEqual(
    expect.objectContaining({ what: 'Certificate', message: expect.not.stringContaining('ENOTFOUND') }),
  );
});

test('an expired certificate is to be renewed', async () => {
  const { certificate, key } = testCertificate('localhost');
  const [file, keyFile] = [join(directory, 'expired.pem'), join(directory, 'expired.key')];
  await writeFile(file, certificate);
  await writeFile(keyFile, key);
  execFileSync('openssl', ['x509', '-in', file, '-signkey', keyFile, '-days', '-1', '-out', file], {
    stdio: 'ignore',
  });
  const secure = createSecureServer({ cert: await readFile(file), key }, (_request, response) =>
    response.end('{}'),
  );
  await once(secure.listen(0, '127.0.0.1'), 'listening');
  const { port } = secure.address() as AddressInfo;
  const { said } = await doctor({
    PRESSROOM_SERVER_ADDRESS: `https://localhost:${port}`,
    NODE_EXTRA_CA_CERTS: file,
  });
  secure.close();
  for (const what of ['Address', 'Certificate'])
    expect(said).toMatch(new RegExp(`BAD {3}${what} .*certificate has expired\\n +→ Renew the certificate`));
  const expired = Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' });
  expect(problemOfFailure(expired).remedy).toMatch(/^Renew the certificate of PostgreSQL/);
});

test('missing engines are reported with the packages to install', async () => {
  const library = join(directory, 'library');
  await mkdir(join(library, 'shiny'), { recursive: true });
  await writeFile(join(library, 'shiny/DESCRIPTION'), 'Package: shiny\n');
  const r = {
    version: '4.2.2',
    file: 'Rscript',
    program: 'R',
    platform: 'x',
    repository: null,
    readable: [],
  };
  const found = await checkEngines(config({ 'TensorFlow.Server': join(directory, 'none') }), {
    listR: async () => [{ ...r, libraries: [library] }],
    listPython: async () => [],
  });
  expect(found).toContainEqual(
    expect.objectContaining({ remedy: 'apt-get install r-cran-rmarkdown r-cran-plumber' }),
  );
  expect(found).toContainEqual(expect.objectContaining({ remedy: 'apt-get install python3 python3-pip' }));
  expect(found).toContainEqual(expect.objectContaining({ what: 'TensorFlow', state: 'bad' }));
});

test('settings that contradict each other are reported before startup', async () => {
  expect(await checkSignIn(config())).toMatchObject([{ state: 'good', message: 'password' }]);
  const found = await checkSignIn(
    config({ 'Authentication.Provider': 'ldap', 'Audit.Webhook': 'https://log.example.com' }),
  );
  expect(found.map(({ what, state }) => [what, state])).toEqual([
    ['Audit log', 'bad'],
    ['Sign-in', 'bad'],
  ]);
});

test('contacts the sign-in provider, and reports its response without passwords', async () => {
  await using oidc = await startOidc('http://127.0.0.1:3939/__login__/callback');
  const oauth2 = {
    'Authentication.Provider': 'oauth2',
    'OAuth2.ClientId': OIDC_CLIENT,
    'OAuth2.ClientSecret': 'hunter2',
    'Server.Address': 'http://127.0.0.1:3939',
  } as const;
  expect(await checkSignIn(config({ ...oauth2, 'OAuth2.Issuer': oidc.issuer }))).toEqual([
    { what: 'Sign-in', state: 'good', message: 'oauth2, which answers', remedy: '' },
  ]);
  const nobody = await freePort();
  const ldap = {
    'Authentication.Provider': 'ldap',
    'LDAP.URL': `ldap://127.0.0.1:${nobody}`,
    'LDAP.UserBase': 'dc=example,dc=org',
    'LDAP.BindDN': 'cn=search,dc=example,dc=org',
    'LDAP.BindPassword': 'hunter2',
  } as const;
  for (const gone of [{ ...oauth2, 'OAuth2.Issuer': `http://127.0.0.1:${nobody}` }, ldap]) {
    const found = await checkSignIn(config(gone));
    expect(found).toMatchObject([{ state: 'bad', message: expect.stringContaining('ECONNREFUSED') }]);
    expect(JSON.stringify(found)).not.toContain('hunter2');
  }
});

test('reports a bucket that servers with another key use, and an empty one in place of that of the database', async () => {
  const keys = {
    ours: Buffer.alloc(32, 1).toString('base64'),
    theirs: Buffer.alloc(32, 2).toString('base64'),
  };
  let note = '';
  const store = createHttpServer((request, response) => {
    if (request.method !== 'GET') response.writeHead(request.method === 'PUT' ? 200 : 204).end();
    else if (request.url?.includes('list-type')) response.end('<ListBucketResult/>');
    else if (note === '') response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    else response.end(note);
  }).listen(0, '127.0.0.1');
  await once(store, 'listening');
  const own = config({
    'Storage.Type': 's3',
    'Storage.Bucket': 'b',
    'Storage.Endpoint': `http://127.0.0.1:${(store.address() as AddressInfo).port}`,
    'Storage.PathStyle': true,
    'Storage.KeyID': 'id',
    'Storage.Secret': 'hunter2',
    'Secrets.Key': keys.ours,
  });
  expect(await checkBucket(own, directory)).toMatchObject([{ state: 'good' }]);
  using database = new DatabaseSync(join(directory, 'pressroom.sqlite'));
  database.exec('create table bundle (id integer); insert into bundle values (1)');
  expect(await checkBucket(own, directory)).toMatchObject([
    { state: 'bad', message: expect.stringContaining('b/ is empty, but the database names bundles') },
  ]);
  const put = async (_key: string, content: Readable) => void (note = await text(content));
  const missing = () => Promise.reject(errors.notFound());
  const objects = { put, open: missing } as unknown as Parameters<typeof claimBucket>[0];
  await claimBucket(objects, createSecrets(keys.theirs), own);
  expect(await checkBucket(own, directory)).toMatchObject([
    { state: 'bad', message: expect.stringContaining('another Secrets.Key') },
  ]);
  await claimBucket(objects, createSecrets(keys.ours), own);
  expect(await checkBucket(own, directory)).toMatchObject([{ state: 'good' }]);
  store.close();
  store.closeAllConnections();
});

test('reports an old Node.js, and a disk below its reserve', async () => {
  expect(checkNode('22.1.0')).toMatchObject({ state: 'bad' });
  expect(checkNode()).toMatchObject({ state: 'good' });
  expect(await checkDisk(config({ 'Applications.DiskReserve': 2 ** 60 }), directory)).toMatchObject({
    state: 'bad',
  });
  expect(
    await checkDisk(config({ 'Applications.DiskReserve': 0 }), join(directory, 'not/made')),
  ).toMatchObject({
    state: 'good',
  });
});

test('requires git and ssh when content may come from repositories', async () => {
  const own = config({ 'Applications.GitEnabled': true });
  const there =
    (...names: string[]) =>
    (name: string) =>
      names.includes(name) ? `/usr/bin/${name}` : null;
  expect(await checkGit(config({ 'Applications.GitEnabled': false }), there())).toEqual([]);
  expect(await checkGit(own, there('git', 'ssh'))).toMatchObject([{ state: 'good' }]);
  expect(await checkGit(own, there('git'))).toMatchObject([
    { state: 'warning', remedy: 'Install openssh-client.' },
  ]);
  const old = async () => 'http.proxy';
  expect(await checkGit(own, there('git', 'ssh'), old)).toMatchObject([
    { state: 'bad', message: expect.stringContaining('older than 2.37') },
  ]);
  expect(await checkGit(own, there('git', 'ssh', 'bwrap'), old)).toMatchObject([{ state: 'good' }]);
  expect(await checkGit(own, there())).toMatchObject([{ state: 'bad', message: 'git is not installed' }]);
});

test('package repositories: distinguishes valid, denied, wrong and unreachable ones', async () => {
  const installed = {
    listR: async () => [{ repository: null } as never],
    listPython: async () => [{ hasPip: true, file: '/usr/bin/python3' } as never],
  };
  const asked: string[] = [];
  const repository = createHttpServer(({ url, headers }, response) => {
    asked.push(`${url} ${headers.authorization ?? ''}`);
    const status = url?.startsWith('/cran') ? 200 : url?.startsWith('/secret') ? 401 : 404;
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await once(repository, 'listening');
  const { port } = repository.address() as AddressInfo;
  const [at, gone] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${await freePort()}`];
  const netrc = join(directory, 'netrc');
  await writeFile(netrc, 'machine 127.0.0.1 login ada password s3cret');
  const found = await checkPackages(
    config({
      'R.Repository': `${at}/cran,${at}/empty,${directory},${join(directory, 'missing')}`,
      'Python.Index': `${at}/simple,${at}/secret,${gone}/simple`,
      'Packages.Netrc': netrc,
    }),
    installed,
  );
  repository.close();
  expect(found.map(({ what, state, message }) => `${what} ${state} ${message}`)).toEqual([
    `R sources good ${at}/cran answers`,
    `R sources warning ${at}/empty has no index (src/contrib/PACKAGES.gz)`,
    `R sources good ${directory}`,
    `R sources warning ${join(directory, 'missing')} is not there`,
    `Python sources good ${at}/simple answers`,
    `Python sources warning ${at}/secret refuses (401)`,
    `Python sources warning ${gone}/simple does not respond: ECONNREFUSED`,
  ]);
  expect(asked).toContain(`/cran/src/contrib/PACKAGES.gz Basic ${btoa('ada:s3cret')}`);
});
