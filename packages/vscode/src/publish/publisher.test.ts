import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@pressroom/api';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { window } from 'vscode';
import { said } from '../testing/fake-vscode.ts';
import { createMemory } from './memory.ts';
import { createPublisher, type PublisherParts } from './publisher.ts';
import { createRuns } from './runs.ts';

const SERVER = 'https://ours.example.com';
const WAIT = { timeout: 30_000 };

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pressroom-publisher-'));
  await writeFile(join(dir, 'index.html'), '<p>');
});
afterEach(async () => {
  vi.restoreAllMocks();
  said.reset();
  await rm(dir, { recursive: true });
});

/** A publisher whose server does not answer; `asked` are the contents that it was asked for. */
function setup(parts: Partial<PublisherParts> = {}) {
  const asked: string[] = [];
  const client = {
    url: SERVER,
    async getContent({ guid }: { guid: string }) {
      asked.push(guid);
      throw new Error('no answer');
    },
    close: async () => undefined,
  };
  const nothing = () => undefined;
  const update = vi.fn<(of: string) => Promise<string[]>>().mockResolvedValue([]);
  const publisher = createPublisher({
    directories: { update, excludeOf: () => [], hold: async () => nothing, save: async () => undefined },
    keys: { get: async () => 'KEY' },
    connect: () => client as unknown as Client,
    runs: createRuns(),
    memory: createMemory(undefined),
    log: { line: nothing, show: nothing },
    diagnostics: { clear: nothing, mark: async () => undefined },
    ...parts,
  } as unknown as PublisherParts);
  return { publisher, asked, update };
}

test('Retry goes to the content that it was for; a failure before it begins is said', async () => {
  const { publisher, asked, update } = setup();
  let shown = 0;
  vi.spyOn(window, 'showErrorMessage').mockImplementation(((text: string, ...buttons: string[]) => {
    said.messages.push(text);
    if (!buttons.includes('Retry')) return Promise.resolve(undefined);
    shown += 1;
    if (shown === 2) update.mockRejectedValue(new Error('the disk is full'));
    return Promise.resolve('Retry');
  }) as never);
  await publisher.publish(dir, { guid: 'older', again: { server: SERVER } });
  await vi.waitFor(() => expect(said.messages).toContain('the disk is full.'), WAIT);
  expect(asked).toEqual(['older', 'older']);
});

test('when Publish Again after a window was closed fails before it begins, that is said', async () => {
  const planner = { plan: () => Promise.reject(new Error('the disk is full')) };
  const { publisher } = setup({ planner } as never);
  vi.spyOn(window, 'showWarningMessage').mockResolvedValue('Publish Again' as never);
  publisher.offerAgain(dir);
  await vi.waitFor(() => expect(said.messages).toEqual(['the disk is full.']), WAIT);
});
