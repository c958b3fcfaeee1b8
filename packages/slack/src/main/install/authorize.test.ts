// Covers tokens of installations: renewed once before they expire, shared by the workspaces of an organization, only
// for allowed ones.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Installation, InstallationStore } from '@slack/bolt';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openBotStore, type BotStore } from '../../store/open-bot-store.ts';
import type { BotConfig } from '../config.ts';
import { createAuthorizer } from './authorize.ts';

const NOW = 1_800_000_000;
let directory: string;
let store: BotStore;
let renewals: string[];
let granted: object;
/** Before Slack answers a renewal. */
let meanwhile: () => Promise<unknown>;
let slack: ReturnType<typeof createServer>;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-slack-oauth-'));
  store = await openBotStore(join(directory, 's.sqlite'), `k:${randomBytes(32).toString('base64')}`);
  renewals = [];
  meanwhile = async () => undefined;
  granted = { ok: true, access_token: 'xoxe.new', refresh_token: 'xoxe-2', expires_in: 43_200 };
  slack = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      renewals.push(new URLSearchParams(Buffer.concat(chunks).toString()).get('refresh_token') ?? '');
      void meanwhile().then(() =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(granted)),
      );
    });
  }).listen(0, '127.0.0.1');
  await once(slack, 'listening');
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  slack.closeAllConnections();
  slack.close();
  await rm(directory, { recursive: true });
});

function authorizer(teams: string[] = []) {
  const oauth = { kind: 'oauth', clientId: '1.2', clientSecret: 's', stateSecret: 't' } as const;
  const slackApiUrl = `http://127.0.0.1:${(slack.address() as AddressInfo).port}/api/`;
  const config = { slack: oauth, teams } as unknown as BotConfig;
  const options = { slackApiUrl, retryConfig: { retries: 0 } };
  const made = createAuthorizer(config, store, options, () => NOW * 1000);
  return {
    ...made,
    installations: (made.installer as { installationStore: InstallationStore }).installationStore,
  };
}

function installed(id: string, more: object = {}, isEnterpriseInstall = false) {
  const bot = { token: 'xoxb-old', id: 'B1', userId: 'U1', scopes: [], ...more };
  const where = isEnterpriseInstall ? { enterprise: { id } } : { team: { id } };
  return { ...where, bot, isEnterpriseInstall, user: { id: 'U2' } } as unknown as Installation<'v2', false>;
}

test('renews a token that expires within three hours once and stores it', async () => {
  const { tokenOf, installedTime, installations } = authorizer();
  await installations.storeInstallation(installed('T1', { refreshToken: 'xoxe-1', expiresAt: NOW + 3600 }));
  expect(await Promise.all([tokenOf('T1'), tokenOf('T1'), tokenOf('T1')])).toEqual(Array(3).fill('xoxe.new'));
  expect(await tokenOf('T1')).toBe('xoxe.new');
  expect(renewals).toEqual(['xoxe-1']);
  expect(await store.readInstallation('install/T1')).toContain('xoxe-2');
  expect(await installedTime('T1')).toBe(NOW * 1000);
});

test('keeps a token that is valid longer or never expires', async () => {
  const { tokenOf, installations } = authorizer();
  await installations.storeInstallation(installed('T1', { refreshToken: 'r', expiresAt: NOW + 4 * 3600 }));
  await installations.storeInstallation(installed('T2'));
  expect([await tokenOf('T1'), await tokenOf('T2')]).toEqual(['xoxb-old', 'xoxb-old']);
  expect(renewals).toEqual([]);
});

test('uses the old token until it expires when the renewal fails', async () => {
  granted = { ok: false, error: 'internal_error' };
  const { tokenOf, installations } = authorizer();
  await installations.storeInstallation(installed('T1', { refreshToken: 'r', expiresAt: NOW + 60 }));
  expect(await tokenOf('T1')).toBe('xoxb-old');
  await installations.storeInstallation(installed('T1', { refreshToken: 'r', expiresAt: NOW - 60 }));
  await expect(tokenOf('T1')).rejects.toThrow('internal_error');
});

test('a renewal restores no installation that was removed meanwhile', async () => {
  const { tokenOf, installations } = authorizer();
  await installations.storeInstallation(installed('T1', { refreshToken: 'r', expiresAt: NOW + 60 }));
  meanwhile = () => store.removeInstallation('install/T1');
  await expect(tokenOf('T1')).rejects.toThrow('not installed');
  expect(await store.readInstallation('install/T1')).toBe(null);
});

test('a renewal does not replace an installation that was made meanwhile', async () => {
  const { tokenOf, installations } = authorizer();
  await installations.storeInstallation(installed('T1', { refreshToken: 'r', expiresAt: NOW + 60 }));
  meanwhile = () =>
    installations.storeInstallation(installed('T1', { token: 'xoxb-again' })) as Promise<void>;
  expect(await tokenOf('T1')).toBe('xoxb-again');
  expect(await tokenOf('T1')).toBe('xoxb-again');
});

test('an organization installs once for its workspaces', async () => {
  const { tokenOf, installations } = authorizer();
  await installations.storeInstallation(installed('E1', {}, true) as never);
  await expect(tokenOf('T7')).rejects.toThrow('not installed');
  const query = { teamId: 'T7', enterpriseId: 'E1', isEnterpriseInstall: true };
  await installations.fetchInstallation(query);
  expect(await tokenOf('T7')).toBe('xoxb-old');
  // After a restart, too.
  expect(await authorizer().tokenOf('T7')).toBe('xoxb-old');
  // After it was removed and installed again, too.
  await store.removeInstallation('grid/T7');
  await installations.fetchInstallation(query);
  expect(await tokenOf('T7')).toBe('xoxb-old');
});

test('only listed workspaces and organizations may install and use the app', async () => {
  await authorizer().installations.storeInstallation(installed('T9'));
  const { tokenOf, installations } = authorizer(['T1', 'E1']);
  await installations.storeInstallation(installed('T1'));
  await installations.storeInstallation(installed('E1', {}, true) as never);
  expect(await tokenOf('T1')).toBe('xoxb-old');
  expect(() => installations.storeInstallation(installed('T2'))).toThrow('may not install');
  await expect(tokenOf('T9')).rejects.toThrow('may not install');
});
