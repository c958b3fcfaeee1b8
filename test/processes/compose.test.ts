// Checks the compose files and the stack: all settings, addresses, volumes, networks, secrets and services that they
// name exist. Checks how the image asks whether its server responds.
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { BlockList, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig, SETTINGS } from '@pressroom/server';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

interface Service {
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly networks?: Readonly<Record<string, { readonly ipv4_address: string }>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly configs?: readonly { readonly source: string }[];
  readonly logging?: { readonly driver: string };
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<
    Record<string, { readonly ipam: { readonly config: { subnet: string; ip_range?: string }[] } }>
  >;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly configs?: Readonly<Record<string, { readonly content: string }>>;
}

const VARIABLES = Object.keys(SETTINGS).map(
  (setting) => `PRESSROOM_${setting.replace('.', '_').toUpperCase()}`,
);
/** The variables that `.env` must set, or that have a default. */
const VALUES: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: 'of-the-database',
  STORE_PASSWORD: 'of-the-store',
  PRESSROOM_SECRETS_KEY: 'bm90LWEtcmVhbC1rZXktYnV0LW9uZS1mb3ItdGVzdHMhISE=',
  PRESSROOM_SETTINGS: 'of-a-version',
};

/** Returns the settings of a service. One without a value in the file is empty. */
const settingsOf = ({ environment = {} }: Service): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([key, value]) =>
      key.startsWith('PRESSROOM_') ? [[key, value ?? '']] : [],
    ),
  );

const textOf = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');

function fill(text: string): string {
  const filled = text.replaceAll(/(?<!\$)\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind, value) => {
    const given = VALUES[name];
    if (given === undefined && kind === '?') throw new Error(`${name} must be set`);
    return given ?? String(value);
  });
  return filled.replaceAll('$$', '$');
}

/** Reads a file as compose does. */
const read = (file: string) => parse(fill(textOf(file)), { merge: true }) as Compose;

/** Reads a file as `docker stack deploy` does: YAML 1.1; variables are filled in afterwards. */
const readStack = (file: string) => JSON.parse(fill(JSON.stringify(parse(textOf(file), { version: '1.1' }))));

function inRange(address: string, range: string): boolean {
  const list = new BlockList();
  const [net = '', bits = ''] = range.split('/');
  list.addSubnet(net, Number(bits));
  return list.check(address);
}

test.each(['compose.yaml', 'compose.cluster.yaml'])('%s is consistent, with valid settings', (file) => {
  const { services, networks, volumes, configs = {} } = read(file);
  const addresses = new Set<string>();
  for (const [name, service] of Object.entries(services)) {
    const { depends_on = [], volumes: mounted = [], networks: joined = {} } = service;
    for (const other of Array.isArray(depends_on) ? depends_on : Object.keys(depends_on))
      expect(Object.keys(services), name).toContain(other);
    for (const mount of mounted.filter((one) => !one.startsWith('.')))
      expect(Object.keys(volumes), name).toContain(mount.split(':')[0]);
    for (const [network, { ipv4_address }] of Object.entries(joined)) {
      const { subnet, ip_range = subnet } = networks[network]!.ipam.config[0]!;
      // Services without a fixed address start first, and take one of the range.
      expect(inRange(ipv4_address, ip_range), `${ipv4_address} of ${name}`).toBe(false);
      expect(ipv4_address).toMatch(
        new RegExp(`^${subnet.replace(/0\/24$/, '').replaceAll('.', '\\.')}\\d+$`),
      );
      expect(addresses).not.toContain(ipv4_address);
      addresses.add(ipv4_address);
    }
    for (const { source } of service.configs ?? []) expect(Object.keys(configs)).toContain(source);
    const settings = settingsOf(service);
    for (const variable of Object.keys(settings)) expect(VARIABLES, name).toContain(variable);
    expect(() => loadConfig(settings), name).not.toThrow();
  }
});

test.each(['compose.yaml', 'compose.cluster.yaml', 'stack.yaml'])(
  '%s limits the log of every service',
  (file) => {
    for (const [name, { logging }] of Object.entries(read(file).services))
      expect(logging, name).toEqual({ driver: 'local' });
  },
);

test('the health check of the image asks at the port of HTTP.Listen', async () => {
  const [, command = ''] = /^HEALTHCHECK [^]*?CMD (\[.*\])$/m.exec(textOf('Containerfile')) ?? [];
  const [program, ...args] = JSON.parse(command) as string[];
  expect(program).toBe('node');
  const asked: unknown[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const env = { PRESSROOM_HTTP_LISTEN: `0.0.0.0:${(server.address() as AddressInfo).port}` };
    await promisify(execFile)(process.execPath, args, { env });
  } finally {
    server.close();
  }
  expect(asked).toEqual(['/__ping__']);
});

test('servers of compose.cluster.yaml share all settings but their address; only the proxy is reachable', () => {
  const { services, networks } = read('compose.cluster.yaml');
  const [one, two] = [services.server1!, services.server2!].map((service) => loadConfig(settingsOf(service)));
  const { 'Cluster.Address': first, ...shared } = one!;
  const { 'Cluster.Address': second, ...same } = two!;
  expect(shared).toEqual(same);
  expect([first, second]).toEqual(['server1:3941', 'server2:3941']);
  expect(services.server1!.volumes).not.toEqual(services.server2!.volumes);
  expect(shared['HTTP.TrustProxy']).toBe(services.proxy!.networks!.default!.ipv4_address);
  expect(new URL(shared['Storage.Endpoint']).hostname).toBe('store');
  expect(new URL(shared['Database.URL']).hostname).toBe('database');
  expect(Object.keys(networks)).toEqual(['default']);
  // Only the proxy publishes ports.
  expect(Object.keys(services).filter((name) => services[name]!.ports)).toEqual(['proxy']);
});

test('nginx accepts the configuration, which names every server', () => {
  const { services, configs } = read('compose.cluster.yaml');
  const { content } = configs!.nginx!;
  const ports = [...content.matchAll(/server (\S+):3939 /g)].map(([, address]) => address);
  const servers = ['server1', 'server2'].map((name) => services[name]!.networks!.default!.ipv4_address);
  expect(ports).toEqual(servers);
  const directory = mkdtempSync(join(tmpdir(), 'pressroom-compose-'));
  try {
    const file = join(directory, 'nginx.conf');
    writeFileSync(file, `pid ${directory}/pid;\nevents {}\nhttp {\n${content}\n}\n`);
    execFileSync('nginx', ['-t', '-q', '-c', file, '-e', join(directory, 'error.log')], { stdio: 'pipe' });
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('stack.yaml names what exists and updates one server after the other', () => {
  const { services, networks, volumes, secrets } = readStack('stack.yaml');
  expect(Object.keys(services)).toEqual(['server']);
  const { environment, deploy, ports, ...server } = services.server;
  const [secret] = server.secrets;
  expect(Object.keys(secrets)).toEqual([secret.source]);
  expect(environment.PRESSROOM_CONFIG).toBe(`/run/secrets/${secret.target}`);
  // Content, which has other accounts, cannot read it.
  expect(secret.mode).toBe(0o400);
  expect(Object.keys(networks)).toEqual(server.networks);
  const containerfile = textOf('Containerfile');
  const [volume] = Object.keys(volumes);
  expect(server.volumes).toEqual([`${volume}:/var/lib/pressroom`]);
  expect(containerfile).toContain(`PRESSROOM_SERVER_DATADIR=/var/lib/pressroom`);
  expect(ports).toEqual([{ target: 3939, published: '3939', mode: 'host' }]);
  expect(containerfile).toContain(`PRESSROOM_HTTP_LISTEN=0.0.0.0:3939`);
  const { PRESSROOM_CONFIG: _, ...variables } = environment;
  for (const variable of Object.keys(variables)) expect(VARIABLES).toContain(variable);
  // Tasks of a global service have longer names, with the same characters.
  const task = 'pressroom_server.1.rcv4z5eo7fdsne39oi6geszyr';
  const config = loadConfig(JSON.parse(JSON.stringify(variables).replaceAll('{{.Task.Name}}', task)));
  expect(config['Cluster.Address']).toBe(`${task}:${config['Cluster.Listen'].split(':')[1]}`);
  const toStop = config['HTTP.DrainDelay'] + config['HTTP.ShutdownTimeout'];
  expect(Number.parseInt(server.stop_grace_period)).toBeGreaterThan(toStop);
  expect(deploy.placement.max_replicas_per_node).toBe(1);
  for (const { order, parallelism, delay, monitor } of [deploy.update_config, deploy.rollback_config]) {
    expect([order, parallelism]).toEqual(['stop-first', 1]);
    expect(Number.parseInt(delay)).toBeGreaterThanOrEqual(Number.parseInt(monitor));
  }
});
