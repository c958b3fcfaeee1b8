import { expect, test } from 'vitest';
import { loadConfig } from './config/load-config.ts';
import { settingsOfProcess } from './one-of-several.ts';
import { whatProcessesRequire } from './processes.ts';

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
