import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Client, RefusedError } from '@pressroom/api/client';
import { writeRecord } from '@pressroom/api/publish';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Uri, window } from 'vscode';
import { createMemory } from '../store/memory.ts';
import { createRuns } from '../store/runs.ts';
import { recorded, settings } from '../testing/fake-vscode.ts';
import type { Taken } from './directories/copies.ts';
import { createPublishing, type PublishingParts } from './wire.ts';

const SERVER = 'https://ours.example.com';
const WAIT = { timeout: 30_000 };

let dir: string;
beforeEach(async () => {
  recorded.reset();
  dir = await mkdtemp(join(tmpdir(), 'pressroom-publisher-'));
  await writeFile(join(dir, 'index.html'), '<p>');
});
afterEach(async () => {
  vi.restoreAllMocks();
  settings.clear();
  await rm(dir, { recursive: true });
});

/** Creates a publisher whose servers fail at every request; `asked` lists requests and servers. */
function setup(parts: Partial<PublishingParts> = {}) {
  const asked: string[] = [];
  const connect = (url: string) => {
    const ask = (what: string) => void asked.push(`${what} at ${url}`);
    return {
      url,
      async getContent({ guid: content }: { guid: string }) {
        ask(content);
        if (content !== 'gone') throw new Error('no response');
        const refused = { operation: 'getContent', server: url, status: 404, code: 4, payload: null };
        throw new RefusedError({ ...refused, message: 'gone' });
      },
      async createContent() {
        ask('a new one');
        throw new Error('no response');
      },
      getTask: async () => ({ output: [], finished: true, code: 1, error: 'no', last: 0 }),
      close: async () => undefined,
    } as unknown as Client;
  };
  const nothing = () => undefined;
  const take = vi.fn<() => Promise<Taken>>().mockResolvedValue({ lacks: [], release: nothing });
  const { publisher } = createPublishing({
    directories: { take, excludeOf: () => [], save: async () => undefined, uriOf: Uri.file },
    keys: { get: async () => 'KEY' },
    connect,
    runs: createRuns(),
    memory: createMemory(undefined),
    log: { line: nothing, show: nothing },
    diagnostics: { clear: nothing, mark: async () => undefined },
    ...parts,
  } as unknown as PublishingParts);
  return { publisher, asked, take };
}

/** Presses these buttons in turn, each in the next message that offers it. */
function press(...buttons: string[]): void {
  const show = (text: string, ...offered: string[]) => {
    recorded.messages.push(text);
    return Promise.resolve(offered.includes(buttons[0]!) ? buttons.shift() : undefined);
  };
  vi.spyOn(window, 'showErrorMessage').mockImplementation(show as never);
}

test('Retry goes to the same content, though it was not reached before', async () => {
  const { publisher, asked } = setup();
  press('Retry');
  await publisher.publish(dir, { guid: 'older', again: { server: SERVER } });
  await vi.waitFor(() => expect(asked).toHaveLength(2), WAIT);
  expect(asked).toEqual([`older at ${SERVER}`, `older at ${SERVER}`]);
});

test('Retry of a resumed deploy goes to the same content', async () => {
  const { publisher, asked } = setup();
  press('Retry');
  const running = {
    dir,
    name: 'x',
    server: SERVER,
    guid: 'older',
    bundle_id: '1',
    task_id: 't',
    ownBundle: true,
  };
  await publisher.resume(running);
  await vi.waitFor(() => expect(asked).toEqual([`older at ${SERVER}`]), WAIT);
});

test('a rollback does not start when another run started while it requested a key', async () => {
  const runs = createRuns();
  const begin = async () => {
    runs.begin({ dir, name: 'x', server: SERVER, target: 'x', text: 'Deploying' });
    return 'KEY';
  };
  const { publisher, asked } = setup({ runs, keys: { get: begin } as never });
  expect(await publisher.rollback(dir, { server: SERVER, guid: 'older', bundle_id: '1' })).toBeUndefined();
  expect(runs.get(dir)?.state).toBe('running');
  expect(asked).toEqual([]);
});

test('Publish as New goes to the server where the content is gone', async () => {
  const { publisher, asked } = setup();
  press('Publish as New');
  await publisher.publish(dir, { guid: 'gone', again: { server: SERVER } });
  await vi.waitFor(() => expect(asked).toEqual([`gone at ${SERVER}`, `a new one at ${SERVER}`]), WAIT);
});

test('shows why Retry failed before it started', async () => {
  const { publisher, take } = setup();
  const taken = { lacks: [], release: () => undefined };
  take.mockResolvedValueOnce(taken).mockRejectedValueOnce(new Error('the disk is full'));
  press('Retry');
  await publisher.publish(dir, { guid: 'older', again: { server: SERVER } });
  await vi.waitFor(() => expect(recorded.messages).toContain('the disk is full.'), WAIT);
});

test('Publish Again goes to the content of the closed window, and shows a failed start', async () => {
  const { publisher, asked, take } = setup();
  vi.spyOn(window, 'showWarningMessage').mockResolvedValue('Publish Again' as never);
  publisher.offerAgain({ dir, server: SERVER, guid: 'older' });
  await vi.waitFor(() => expect(asked).toEqual([`older at ${SERVER}`]), WAIT);
  take.mockRejectedValueOnce(new Error('the disk is full'));
  publisher.offerAgain({ dir, server: SERVER, guid: 'older' });
  await vi.waitFor(() => expect(recorded.messages).toContain('the disk is full.'), WAIT);
});

test('Publish Again of an interrupted first upload reuses its content or creates it anew', async () => {
  const { publisher, asked } = setup();
  vi.spyOn(window, 'showWarningMessage').mockResolvedValue('Publish Again' as never);
  await mkdir(join(dir, '.pressroom/deployments'), { recursive: true });
  const older = {
    server: SERVER,
    guid: '11111111-1111-4111-8111-111111111111',
    name: 'older',
    app_mode: 'static',
    deployed_time: '2026-01-01T00:00:00Z',
  };
  const fields = Object.entries(older).map(([name, value]) => `${name} = "${value}"`);
  await writeFile(join(dir, '.pressroom/deployments/older.toml'), ['version = 1', ...fields].join('\n'));
  publisher.offerAgain({ dir, server: SERVER, asNew: true });
  await vi.waitFor(() => expect(asked).toEqual([`a new one at ${SERVER}`]), WAIT);
  // The content of the first upload was deleted, or was not because the editor was killed.
  publisher.offerAgain({ dir, server: SERVER, asNew: true, made: 'taken back' });
  await vi.waitFor(() => expect(asked).toHaveLength(2), WAIT);
  publisher.offerAgain({ dir, server: SERVER, asNew: true, made: older.guid });
  await vi.waitFor(() => expect(asked).toHaveLength(3), WAIT);
  expect(asked.slice(1)).toEqual([`a new one at ${SERVER}`, `${older.guid} at ${SERVER}`]);
});

test('cancelling a task before its publish starts publishes nothing', async () => {
  const abort = new AbortController();
  const cancel = async () => (abort.abort(), 'KEY');
  const { publisher, asked } = setup({ keys: { get: cancel } as never });
  const { signal } = abort;
  expect(await publisher.publish(dir, { guid: 'older', again: { server: SERVER }, signal })).toBeUndefined();
  expect(asked).toEqual([]);
});

test('closing the terminal of an ended task cancels no other publish of the folder', async () => {
  const runs = createRuns();
  const abort = new AbortController();
  const { publisher } = setup({ runs });
  await publisher.publish(dir, { guid: 'older', again: { server: SERVER }, signal: abort.signal });
  const other = runs.begin({ dir, name: 'x', server: SERVER, target: 'x', text: 'Deploying' });
  abort.abort();
  expect(other.aborted).toBe(false);
});

test.each([
  [false, 'Later it goes live, unless it does worse.'],
  [true, 'until you make it live.'],
])('says that a rule makes a canary of a draft, which waits: %s', async (waits, detail) => {
  const began: unknown[] = [];
  const live = { guid: 'g', bundle_id: '6', app_mode: 'python-api', url: 'https://x/' };
  const client = {
    url: SERVER,
    getCanaryRule: async () => ({ share: 10, waits }),
    getContent: async () => live,
    getContentDeploys: async () => [{ bundle_id: '5', state: 'succeeded', was_live: true }],
    getCanary: async () => ({ bundle_id: '4', state: 'running' }),
    async deployContentBundle(body: unknown) {
      began.push(body);
      throw new Error('no response');
    },
    close: async () => undefined,
  };
  const { publisher } = setup({ connect: () => client as unknown as Client });
  const shown = vi.spyOn(window, 'showWarningMessage').mockResolvedValue(undefined as never);
  const draft = (bundle_id: string) => ({ server: SERVER, guid: 'g', bundle_id });
  expect(await publisher.activateDraft(dir, draft('7'))).toBeUndefined();
  expect(await publisher.rollback(dir, draft('7'))).toBeUndefined();
  expect(began).toEqual([]);
  expect(shown.mock.calls.map(([question, options]) => ({ question, options }))).toEqual(
    Array(2).fill({
      question: `Start a canary with bundle 7 of ${basename(dir)} on ours.example.com?`,
      options: { modal: true, detail: expect.stringContaining(`10 % of new sessions get it`) },
    }),
  );
  expect((shown.mock.calls[0]![1] as unknown as { detail: string }).detail).toContain(detail);
  shown.mockResolvedValueOnce('Start Canary' as never);
  expect(await publisher.activateDraft(dir, draft('7'))).toMatchObject({ type: 'failed' });
  expect(began).toHaveLength(1);
  // What was live, and the canary itself, go live at once.
  for (const bundle of ['5', '4'])
    expect(await publisher.rollback(dir, draft(bundle))).toMatchObject({ type: 'failed' });
  expect(shown).toHaveBeenCalledTimes(3);
});

test('asks before a rollback, or a draft that becomes live, on a target that the settings name', async () => {
  const { publisher, asked } = setup();
  const content = { server: SERVER, guid: '11111111-1111-4111-8111-111111111111' };
  const record = { ...content, name: 'page', app_mode: 'static', entrypoint: 'index.html' };
  await writeRecord(dir, {
    ...record,
    target: 'production',
    bundle_id: '8',
    deployed_time: '2026-01-01T00:00:00Z',
  });
  settings.set('confirmBeforePublish', ['production']);
  const shown = vi.spyOn(window, 'showWarningMessage').mockResolvedValue(undefined as never);
  const target = { ...content, bundle_id: '7' };
  expect(await publisher.rollback(dir, target)).toBeUndefined();
  expect(await publisher.activateDraft(dir, target)).toBeUndefined();
  expect(asked).toEqual([]);
  const name = basename(dir);
  expect(shown.mock.calls.map(([question]) => question)).toEqual([
    `Roll ${name} back to bundle 7 on production (ours.example.com)?`,
    `Make the draft of ${name} live on production (ours.example.com)?`,
  ]);
  shown.mockResolvedValueOnce('Roll Back' as never);
  expect(await publisher.rollback(dir, target)).toMatchObject({ type: 'failed' });
  // A person confirmed it for the language model.
  expect(await publisher.rollback(dir, target, { ask: false })).toMatchObject({ type: 'failed' });
  expect(shown).toHaveBeenCalledTimes(3);
});
