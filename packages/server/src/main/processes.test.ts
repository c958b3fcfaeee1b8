import { watch } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../runtime/pool/free-port.ts';
import { loadConfig } from './config/load-config.ts';
import { settingsOfProcess } from './one-of-several.ts';
import { runProcesses, whatProcessesRequire } from './processes.ts';

const SEVERAL = {
  PRESSROOM_SERVER_PROCESSES: '4',
  PRESSROOM_DATABASE_URL: 'postgres://localhost/pressroom',
  PRESSROOM_CLUSTER_LISTEN: '127.0.0.1:3941',
};

test.each([
  [{}, null],
  [{ PRESSROOM_DATABASE_URL: '' }, /^Database.URL/],
  [{ PRESSROOM_CLUSTER_LISTEN: '' }, /^Cluster.Listen/],
  [{ PRESSROOM_HTTP_LISTEN: '127.0.0.1:0' }, /^a port in HTTP.Listen/],
  [{ PRESSROOM_CLUSTER_LISTEN: ':0' }, /^a port in Cluster.Listen/],
  [{ PRESSROOM_METRICS_PROMETHEUSLISTEN: '[::1]:0' }, /^a port in Metrics.PrometheusListen/],
])('several processes with %j', (env, missing) => {
  const found = whatProcessesRequire(loadConfig({ ...SEVERAL, ...env }));
  if (missing === null) expect(found).toBeNull();
  else expect(found).toMatch(missing);
});

test('one process requires nothing', () => {
  expect(whatProcessesRequire(loadConfig({}))).toBeNull();
});

test('each process has its own ports for other servers and metrics', () => {
  const config = loadConfig({
    ...SEVERAL,
    PRESSROOM_CLUSTER_ADDRESS: 'web1.example.com:4000',
    PRESSROOM_METRICS_PROMETHEUSLISTEN: '[::1]:3232',
  });
  expect(settingsOfProcess(config, 1)).toEqual(config);
  expect(settingsOfProcess(config, 3)).toEqual({
    ...config,
    'Cluster.Listen': '127.0.0.1:3943',
    'Cluster.Address': 'web1.example.com:4002',
    'Metrics.PrometheusListen': '[::1]:3234',
  });
  expect(settingsOfProcess(loadConfig(SEVERAL), 2)['Metrics.PrometheusListen']).toBe('');
});

/** The second process ends after its first start, does not start the second time, and runs from the third on. */
const SERVER = `
import { readdirSync, writeFileSync, writeSync } from 'node:fs';
const number = process.env.PRESSROOM_PROCESS;
const starts = readdirSync('DIRECTORY').filter((name) => name.startsWith(number + '-')).length + 1;
if (number === '1' || starts !== 2) writeSync(4, 'http://127.0.0.1\\n');
process.on('SIGTERM', () => process.exit(0));
writeFileSync('DIRECTORY/' + number + '-' + starts, '');
if (number === '2' && starts < 3) process.exit(1);
setInterval(() => undefined, 1000);
`;

test('a process that does not start again is tried once more, and ends no other', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-processes-'));
  const script = join(directory, 'server.mjs');
  await writeFile(script, SERVER.replaceAll('DIRECTORY', directory));
  const third = Promise.withResolvers<void>();
  const watching = watch(directory, (_event, name) => name === '2-3' && third.resolve());
  const env = { PRESSROOM_SERVER_PROCESSES: '2', PRESSROOM_HTTP_LISTEN: `127.0.0.1:${await freePort()}` };
  const ended = runProcesses(script, loadConfig({ ...SEVERAL, ...env }));
  await Promise.race([third.promise, ended]);
  watching.close();
  process.emit('SIGTERM');
  expect(await ended).toBe(0);
  expect((await readdir(directory)).toSorted()).toEqual(['1-1', '2-1', '2-2', '2-3', 'server.mjs']);
  await rm(directory, { recursive: true });
});
