import { expect, test } from 'vitest';
import { systemIds } from '../platform/clock.ts';
import { loadConfig } from './config/load-config.ts';
import { starterOptions } from './starter-options.ts';

const hiddenWith = (env: Record<string, string>, settingsFile?: string) =>
  starterOptions(loadConfig({ PRESSROOM_SERVER_DATADIR: '/srv/data', ...env }), settingsFile, systemIds())
    .hidden;

test('content sees neither the data directory nor any file of the settings with a secret', () => {
  expect(hiddenWith({})).toEqual(['/srv/data']);
  const env = {
    PRESSROOM_PACKAGES_NETRC: '/etc/netrc',
    PRESSROOM_DOCKER_KEY: '/etc/docker.key',
    PRESSROOM_DATABASE_URL: 'postgres://db/pressroom?sslmode=verify-full&sslkey=/etc/ssl/pressroom%20db.key',
  };
  expect(hiddenWith(env, '/etc/pressroom.toml')).toEqual([
    '/srv/data',
    '/etc/pressroom.toml',
    '/etc/netrc',
    '/etc/docker.key',
    '/etc/ssl/pressroom db.key',
  ]);
});
