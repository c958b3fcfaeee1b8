// Checks that docs/publish/slack.md names every command and every variable.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMAND_NAMES } from '../commands/table.ts';
import { ConfigError, loadBotConfig, VARIABLES } from './config.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/publish/slack.md'), 'utf8');

test.each(Object.keys(VARIABLES))('docs/publish/slack.md names the variable %s', (name) => {
  expect(page).toContain(`\`${name}\``);
});

test.each(COMMAND_NAMES)('docs/publish/slack.md has the command %s', (name) => {
  const isNamed = new RegExp(`(\`|/pressroom )${name}\\b`).test(page);
  expect(isNamed, `add ${name} to its table of commands`).toBe(true);
});

const env = {
  CONNECT_SERVER: 'https://content.example.com/',
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_SIGNING_SECRET: 's',
  PRESSROOM_SLACK_KEYS: 'k:x',
};

test('reads the settings with their defaults', () => {
  expect(loadBotConfig(env)).toMatchObject({
    server: 'https://content.example.com',
    receive: { kind: 'http' },
    listen: { host: '127.0.0.1', port: 3940 },
    budget: 45,
  });
  expect(loadBotConfig({ ...env, SLACK_APP_TOKEN: 'xapp-1' }).receive.kind).toBe('socket');
});

test.each([
  [{ CONNECT_SERVER: undefined }, 'CONNECT_SERVER'],
  [{ CONNECT_SERVER: 'nowhere' }, 'CONNECT_SERVER'],
  [{ SLACK_BOT_TOKEN_FILE: '/nowhere/token' }, 'SLACK_BOT_TOKEN_FILE: ENOENT'],
  [{ SLACK_BOT_TOKEN: undefined }, 'SLACK_CLIENT_ID'],
  [{ SLACK_SIGNING_SECRET: undefined }, 'SLACK_SIGNING_SECRET'],
  [{ PRESSROOM_SLACK_UPDATE_BUDGET: '500' }, 'PRESSROOM_SLACK_UPDATE_BUDGET'],
  [{ PRESSROOM_SLACK_LISTEN: 'here' }, 'PRESSROOM_SLACK_LISTEN'],
  [{ PRESSROOM_SLACK_GUEST_KEY: 'k', PRESSROOM_SLACK_UNLINKED: 'stauts' }, 'stauts'],
  [{ PRESSROOM_SLACK_GUEST_KEY: 'k', PRESSROOM_SLACK_UNLINKED: 'status,subscribe' }, 'subscribe'],
  [{ PRESSROOM_SLACK_UNLINKED: 'status' }, 'PRESSROOM_SLACK_GUEST_KEY'],
  [{ PRESSROOM_SLACK_COMMAND: 'pressroom' }, 'PRESSROOM_SLACK_COMMAND'],
])('rejects an invalid setting and names it: %o', (wrong, name) => {
  const load = () => loadBotConfig({ ...env, ...wrong });
  expect(load).toThrow(ConfigError);
  expect(load).toThrow(name);
});
