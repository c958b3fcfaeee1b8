// Checks the app manifest against Slack's published schema, and against the code's use of Slack.
import { readFileSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import manifest from '../../manifest.json' with { type: 'json' };

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });
const url = { type: 'string', pattern: '^https://', maxLength: 2048 };
const flag = { type: 'boolean' };
const closed = (required: string[], properties: Record<string, object>) => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
});
const words = (pattern: string, maxItems: number) => ({
  type: 'array',
  maxItems,
  uniqueItems: true,
  items: { type: 'string', pattern },
});

/** The parts of Slack's manifest schema that this app uses: names, limits and formats. */
const parameter = closed(['type', 'title', 'description', 'is_required', 'name'], {
  type: { enum: ['string', 'slack#/types/user_id'] },
  title: text(100),
  description: text(500),
  is_required: flag,
  name: text(100),
});
const parameters = { type: 'object', additionalProperties: parameter };
const SCHEMA = closed(['display_information', 'features', 'oauth_config', 'settings'], {
  _metadata: closed([], { major_version: { enum: [1, 2] }, minor_version: { type: 'integer' } }),
  display_information: closed(['name'], {
    name: text(35),
    description: text(140),
    long_description: { type: 'string', minLength: 174, maxLength: 4000 },
    background_color: { type: 'string', pattern: '^#([0-9a-f]{3}|[0-9a-f]{6})$' },
  }),
  features: closed([], {
    app_home: closed([], {
      home_tab_enabled: flag,
      messages_tab_enabled: flag,
      messages_tab_read_only_enabled: flag,
    }),
    bot_user: closed(['display_name'], {
      display_name: { type: 'string', pattern: '^[a-z0-9._-]{1,80}$' },
      always_online: flag,
    }),
    slash_commands: {
      type: 'array',
      maxItems: 50,
      items: closed(['command', 'description'], {
        command: { type: 'string', pattern: '^/[a-z0-9_-]{1,31}$' },
        url,
        description: text(2000),
        usage_hint: text(1000),
        should_escape: flag,
      }),
    },
    shortcuts: {
      type: 'array',
      maxItems: 10,
      items: closed(['name', 'callback_id', 'description', 'type'], {
        name: text(24),
        callback_id: text(255),
        description: text(150),
        type: { enum: ['message', 'global'] },
      }),
    },
    unfurl_domains: words('^[a-z0-9.-]+$', 5),
  }),
  functions: {
    type: 'object',
    additionalProperties: closed(['title', 'input_parameters', 'output_parameters'], {
      title: text(255),
      description: text(500),
      input_parameters: parameters,
      output_parameters: parameters,
    }),
  },
  oauth_config: closed(['scopes'], {
    redirect_urls: { type: 'array', maxItems: 1000, items: url },
    scopes: closed([], { bot: words('^[a-z_.:]+$', 255) }),
  }),
  settings: closed([], {
    event_subscriptions: closed([], { request_url: url, bot_events: words('^[a-z_.]+$', 100) }),
    interactivity: closed(['is_enabled'], { is_enabled: flag, request_url: url }),
    org_deploy_enabled: flag,
    socket_mode_enabled: flag,
    function_runtime: { enum: ['remote'] },
    token_rotation_enabled: flag,
  }),
});

test('matches the structure that Slack accepts', () => {
  const validate = new Ajv({ allErrors: true }).compile(SCHEMA);
  validate(manifest);
  expect(validate.errors ?? []).toEqual([]);
});

/** Scopes of the Web API methods (Slack's reference of methods). */
const SCOPES: Readonly<Record<string, string>> = {
  'chat.postMessage': 'chat:write',
  'chat.update': 'chat:write',
  'chat.postEphemeral': 'chat:write',
  'chat.unfurl': 'links:write',
  'conversations.history': 'channels:history',
  'conversations.replies': 'channels:history',
  'conversations.join': 'channels:join',
  'conversations.info': 'channels:read',
  'conversations.open': 'im:write',
  'files.getUploadURLExternal': 'files:write',
  'files.completeUploadExternal': 'files:write',
  'users.info': 'users:read',
};

test('has the scope of every called method, and subscribes to every handled event', () => {
  const root = join(import.meta.dirname, '..');
  const source = globSync('**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  const called = [...source.matchAll(/\b(?:web|client)\.(chat|conversations|files|users)\.(\w+)\(/g)].map(
    ([, group, method]) => `${group}.${method}`,
  );
  expect(called.length).toBeGreaterThan(8);
  const { bot } = manifest.oauth_config.scopes;
  for (const method of called) expect(bot, method).toContain(SCOPES[method]);
  const events = [...source.matchAll(/app\.event\('(\w+)'/g)].map(([, name]) => name);
  // Only direct messages: the bot does not read other conversations.
  const wanted = events.map((name) => (name === 'message' ? 'message.im' : name));
  expect(new Set(manifest.settings.event_subscriptions.bot_events)).toEqual(new Set(wanted));
  expect(bot).toEqual(expect.arrayContaining(['app_mentions:read', 'im:history']));
  const shortcuts = [...source.matchAll(/app\.shortcut<\w+>\('(\w+)'/g)].map(([, name]) => name);
  expect(manifest.features.shortcuts.map((shortcut) => shortcut.callback_id)).toEqual(shortcuts);
});
