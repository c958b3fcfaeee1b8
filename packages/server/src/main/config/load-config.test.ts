// Covers invalid settings: they stop the start, and the message names them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sinksOf } from '../../audit/sinks.ts';
import { readContentAddress } from '../../content/address.ts';
import { eventReceivers } from '../../events/send.ts';
import { ConfigError, loadConfig, unknownVariables, variableName } from './load-config.ts';
import { listOf } from './setting-kinds.ts';

it.each([
  ['PRESSROOM_HTTP_LISTN', '127.0.0.1:3939', /no setting for the variable PRESSROOM_HTTP_LISTN/],
  ['PRESSROOM_HTTP_LISTEN', '127.0.0.1:99999', /^HTTP.Listen must be an address and a port/],
  ['PRESSROOM_HTTP_LISTEN', '3939', /^HTTP.Listen must be/],
  ['PRESSROOM_HTTP_TRUSTPROXY', 'localhost', /^HTTP.TrustProxy must be addresses/],
  ['PRESSROOM_HTTP_TRUSTPROXY', '10.0.0.0/', /^HTTP.TrustProxy must be addresses/],
  ['PRESSROOM_HTTP_TRUSTPROXY', '10.0.0.0/8/24', /^HTTP.TrustProxy must be addresses/],
  ['PRESSROOM_HTTP_TRUSTPROXY', '10.0.0.0/33', /^HTTP.TrustProxy must be addresses/],
  ['PRESSROOM_SERVER_DATADIR', '', /^Server.DataDir must be the path of a directory/],
  ['PRESSROOM_SERVER_ADDRESS', 'content.example.com', /^Server.Address must be an address such as https:/],
  ['PRESSROOM_SERVER_ADDRESS', 'https://x.example.com/?a=b', /^Server.Address must be .*, a query \(\?\)/],
  ['PRESSROOM_SERVER_ADDRESS', 'https://x.example.com/#top', /^Server.Address must be .* a fragment/],
  ['PRESSROOM_SERVER_CONTENTADDRESS', 'https://*.x.example.com?', /^Server.ContentAddress must be/],
  ['PRESSROOM_SERVER_CONTENTADDRESS', 'ftp://x', /^Server.ContentAddress must be an address/],
  [
    'PRESSROOM_DATABASE_URL',
    'mysql://me:secret@host/db',
    /^Database.URL must be an address such as postgres:[^,]*$/,
  ],
  ['PRESSROOM_DATABASE_URL', 'postgres://me:p@ss/word@host/db', /^Database.URL must .* %2F for /],
  ['PRESSROOM_DATABASE_URL', 'postgres://me:pass#word@host/db', /^Database.URL must .* %2F for /],
  ['PRESSROOM_DATABASE_URL', 'postgres://me:1?p@ss@host/db', /^Database.URL must .* %2F for /],
  ['PRESSROOM_AUDIT_WEBHOOK', 'https://me:secret@ci.example.com', /^Audit.Webhook must [^:]*https:[^:]*$/],
  [
    'PRESSROOM_EVENTS_WEBHOOKS',
    'https://bot.example.com https://me:secret@ci.example.com',
    /^Events.Webhooks must be URLs [^@]*$/,
  ],
  [
    'PRESSROOM_EVENTS_WEBHOOKS',
    'https://bot.example.com/events, https://ci.example.com',
    /^Events.Webhooks must be .* not by commas/,
  ],
  [
    'PRESSROOM_EVENTS_WEBHOOKS',
    'https://bot.example.com,https://ci.example.com',
    /^Events.Webhooks must be .* not by commas/,
  ],
  ['PRESSROOM_MAIL_URL', 'mail.example.com', /^Mail.URL must be/],
  ['PRESSROOM_MAIL_FROM', 'Pressroom', /^Mail.From must be an address such as/],
  ['PRESSROOM_PROXYAUTH_TRUSTEDPROXIES', 'localhost', /^ProxyAuth.TrustedProxies must be addresses/],
  ['PRESSROOM_APPLICATIONS_ACCESSTYPES', 'all,everybody', /^Applications.AccessTypes must be some of/],
  ['PRESSROOM_SCHEDULER_MINPROCESSES', '9', /^Scheduler.MinProcesses \(9\) must not be above .*Limit \(5\)/],
  ['PRESSROOM_PYTHON_EXECUTABLE', '/usr/bin/python3,python3.12', /^Python.Executable must be absolute paths/],
  ['PRESSROOM_PYTHON_VERSIONMATCHING', 'latest', /^Python.VersionMatching must be one of nearest, /],
  ['PRESSROOM_CI_ISSUERS', 'http://ci.example.com', /^CI.Issuers must be addresses that begin with https/],
  ['PRESSROOM_CI_ISSUERS', 'https://ci.example.com, ci', /^CI.Issuers must be addresses/],
  [
    'PRESSROOM_APPLICATIONS_EXECUTOR',
    'docker',
    /^Docker.Images must be set where Applications.Executor is docker/,
  ],
  ['PRESSROOM_DOCKER_HOST', '/run/docker.sock', /^Docker.Host must be unix:/],
  ['PRESSROOM_DOCKER_IMAGES', 'r 4.4', /^Docker.Images must be names of images/],
  ['PRESSROOM_DOCKER_NETWORK', 'none', /^Docker.Network must be the name of a network/],
  ['PRESSROOM_SCHEDULER_LOADFACTOR', '7', /^Scheduler.LoadFactor must be a number from 0 to 1/],
])('rejects %s=%s', (name, value, message) => {
  expect(() => loadConfig({ [name]: value })).toThrow(message);
});

it.each([
  ['PRESSROOM_HTTP_LISTEN', '[::1]:0'],
  ['PRESSROOM_HTTP_LISTEN', ':3939'],
  ['PRESSROOM_HTTP_TRUSTPROXY', '127.0.0.1, 10.0.0.0/8, ::1'],
  ['PRESSROOM_SERVER_ADDRESS', ''],
  ['PRESSROOM_SERVER_ADDRESS', 'https://example.com/pressroom'],
  ['PRESSROOM_DATABASE_URL', 'postgresql://pressroom@localhost/pressroom'],
  [
    'PRESSROOM_DATABASE_URL',
    'postgres://me:p%40ss%2Fw@host/db?sslmode=verify-full&sslrootcert=/etc/ssl/ca.pem',
  ],
  ['PRESSROOM_SLACK_LISTEN', '127.0.0.1:3940'],
  ['PRESSROOM_MAIL_FROM', 'Reports of Ada & Co. <reports@example.com>'],
  ['PRESSROOM_CI_ISSUERS', 'none'],
  ['PRESSROOM_CI_ISSUERS', 'https://ci.example.com, https://gitlab.example.com, http://127.0.0.1:8080'],
])('accepts %s=%s', (name, value) => {
  expect(() => loadConfig({ [name]: value })).not.toThrow();
});

it.each(['prefer', 'require', 'verify-ca'])(
  'checks the certificate of the database with sslmode=%s',
  (mode) => {
    const url = (name: string) => `postgres://db/pressroom?sslmode=${name}&sslrootcert=/etc/ssl/ca.pem`;
    expect(loadConfig({ PRESSROOM_DATABASE_URL: url(mode) })['Database.URL']).toBe(url('verify-full'));
  },
);

it('ignores variables that the command line reads from the same shell', () => {
  const env = { PRESSROOM_GIT_TOKEN: 'token', PRESSROOM_PACKAGES_PASSWORD: 'password' };
  expect(() => loadConfig(env)).not.toThrow();
});

it('lists the valid names for an unknown setting or section', () => {
  const directory = mkdtempSync(join(tmpdir(), 'pressroom-config-'));
  const file = join(directory, 'pressroom.toml');
  writeFileSync(file, '[PAM]\nservice = "x"\n');
  expect(() => loadConfig({ PRESSROOM_CONFIG: file })).toThrow(
    /there is no setting PAM.service; of this section there are PAM.Service$/,
  );
  writeFileSync(file, '[http]\nListen = "127.0.0.1:1"\n');
  expect(() => loadConfig({ PRESSROOM_CONFIG: file })).toThrow(/the sections are Server, HTTP, Database, /);
  rmSync(directory, { recursive: true });
  expect(() => loadConfig({ PRESSROOM_PAM_FILE: 'x' })).toThrow(/of this section .* PRESSROOM_PAM_SERVICE$/);
});

it('names all wrong settings at once, of the file and of the environment', () => {
  const directory = mkdtempSync(join(tmpdir(), 'pressroom-config-'));
  const file = join(directory, 'pressroom.toml');
  writeFileSync(
    file,
    'Listen = ":1"\n[HTTP]\nListn = ":1"\nMaxConnections = "many"\n[Log]\nLevel = "loud"\n',
  );
  const env = { PRESSROOM_CONFIG: file, PRESSROOM_MAIL_URI: 'smtp://mail', PRESSROOM_HTTP_BODYTIMEOUT: '-1' };
  const error = (() => {
    try {
      return loadConfig(env);
    } catch (thrown) {
      return thrown;
    }
  })();
  rmSync(directory, { recursive: true });
  expect(error).toBeInstanceOf(ConfigError);
  expect((error as ConfigError).message.split('\n')).toEqual([
    `${file}: Listen must stand in a section, such as [Server]`,
    expect.stringMatching(/: there is no setting HTTP.Listn; /),
    expect.stringMatching(/^HTTP.MaxConnections must be /),
    expect.stringMatching(/^Log.Level must be /),
    expect.stringMatching(/^there is no setting for the variable PRESSROOM_MAIL_URI; /),
    expect.stringMatching(/^HTTP.BodyTimeout must be /),
  ]);
});

it('names the setting of another section that has the key', () => {
  const directory = mkdtempSync(join(tmpdir(), 'pressroom-config-'));
  const file = join(directory, 'pressroom.toml');
  writeFileSync(file, '[Applications]\nInitTimeout = 90\n');
  expect(() => loadConfig({ PRESSROOM_CONFIG: file })).toThrow(
    /there is no setting Applications.InitTimeout; did you mean Scheduler.InitTimeout\?$/,
  );
  rmSync(directory, { recursive: true });
  expect(() => loadConfig({ PRESSROOM_APPLICATIONS_INITTIMEOUT: '90' })).toThrow(
    /PRESSROOM_APPLICATIONS_INITTIMEOUT; did you mean PRESSROOM_SCHEDULER_INITTIMEOUT\?$/,
  );
});

it('reports the position of a syntax error in the settings file without its content', () => {
  const directory = mkdtempSync(join(tmpdir(), 'pressroom-config-'));
  const file = join(directory, 'pressroom.toml');
  writeFileSync(file, '[Storage]\nSecret = hunter2hunter2\n');
  const read = () => loadConfig({ PRESSROOM_CONFIG: file });
  expect(read).toThrow(/pressroom\.toml: line 2, column 10: invalid value$/);
  rmSync(directory, { recursive: true });
});

it.each([
  ['PRESSROOM_SERVER_CONTENTADDRESS', 'https://*.content.example.com', readContentAddress],
  ['PRESSROOM_AUDIT_WEBHOOK', 'https://audit.example.com', sinksOf],
  ['PRESSROOM_EVENTS_WEBHOOKS', 'https://events.example.com', eventReceivers],
])('rejects %s without the settings it requires with a ConfigError', (name, value, read) => {
  const config = loadConfig({ [name]: value });
  expect(() => read(config)).toThrow(ConfigError);
});

it('names variables of unknown sections, except those of other programs', () => {
  const others = {
    PRESSROOM_CONFIG: '/etc/pressroom.toml',
    PRESSROOM_SLACK_KEYS: 'k1:',
    PRESSROOM_ID_TOKEN: 'token',
    PRESSROOM_TEST_KEY: 'key',
    PRESSROOM_PORT_3939_TCP_ADDR: '10.0.0.1',
    PRESSROOM_SERVICE_HOST: '10.0.0.1',
  };
  const env = { ...others, PRESSROOM_HTPP_LISTEN: '127.0.0.1:1', PRESSROOM_AUTH_PROVIDER: 'ldap' };
  expect(unknownVariables(env)).toEqual(['PRESSROOM_HTPP_LISTEN', 'PRESSROOM_AUTH_PROVIDER']);
});

it('accepts a list for a setting of several values in the settings file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'pressroom-config-'));
  const file = join(directory, 'pressroom.toml');
  writeFileSync(file, '[R]\nExecutable = ["/opt/R/4.4.1/bin/R", "/usr/bin/Rscript"]\n');
  expect(listOf(loadConfig({ PRESSROOM_CONFIG: file })['R.Executable'])).toEqual([
    '/opt/R/4.4.1/bin/R',
    '/usr/bin/Rscript',
  ]);
  writeFileSync(file, '[R]\nExecutable = [4]\n');
  expect(() => loadConfig({ PRESSROOM_CONFIG: file })).toThrow(/^R.Executable must be text/);
  writeFileSync(file, '[Packages]\nNetrc = ["/etc/netrc"]\n');
  expect(() => loadConfig({ PRESSROOM_CONFIG: file })).toThrow(/^Packages.Netrc must be text/);
  rmSync(directory, { recursive: true });
});

it('requires a client certificate for a remote container engine', () => {
  const docker = { PRESSROOM_APPLICATIONS_EXECUTOR: 'docker', PRESSROOM_DOCKER_IMAGES: 'r:4.4, python:3.11' };
  const tls = {
    PRESSROOM_DOCKER_CA: 'ca',
    PRESSROOM_DOCKER_CERTIFICATE: 'cert',
    PRESSROOM_DOCKER_KEY: 'key',
  };
  const far = { ...docker, PRESSROOM_DOCKER_HOST: 'tcp://engine.example.com:2376' };
  expect(() => loadConfig({ ...docker, PRESSROOM_DOCKER_HOST: 'tcp://127.0.0.1:2375' })).not.toThrow();
  expect(() => loadConfig({ ...far, ...tls })).not.toThrow();
  expect(() => loadConfig(far)).toThrow(/Docker.CA, Docker.Certificate and Docker.Key must be set/);
  expect(() => loadConfig({ ...far, ...tls, PRESSROOM_DOCKER_KEY: '' })).toThrow(/Docker.Key is missing/);
});

it.each(['Server.Address', 'Server.ContentAddress'] as const)('%s loses its trailing slashes', (name) => {
  expect(loadConfig({ [variableName(name)]: 'https://example.com/sub//' })[name]).toBe(
    'https://example.com/sub',
  );
  expect(loadConfig({}, { [name]: 'https://example.com/' })[name]).toBe('https://example.com');
});
