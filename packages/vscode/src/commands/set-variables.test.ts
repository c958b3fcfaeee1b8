import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FileType, Uri, window, workspace, type QuickPickItem } from 'vscode';
import type { PublishOptions } from '../publish/publisher.ts';
import { createMemoryFs, recorded } from '../testing/fake-vscode.ts';
import type { CommandParts } from './command.ts';
import { setVariables } from './set-variables.ts';

const STAGING = 'https://staging.example.com';
const record = { server: STAGING, guid: 'older', name: 'report' };

// Other test files of this worker may have left messages.
beforeEach(() => recorded.reset());
afterEach(() => {
  vi.restoreAllMocks();
});

/** Sets all picked variables one by one, for a folder with these files. */
function setup(files: Record<string, string>, { there = [] as string[], press = '' } = {}) {
  const disk = createMemoryFs(files);
  Object.assign(workspace, { fs: disk.api });
  const asked: QuickPickItem[] = [];
  vi.spyOn(window, 'showQuickPick').mockImplementation(((items: QuickPickItem[]) => {
    asked.push(...items);
    return Promise.resolve(items.filter((item) => item.picked));
  }) as never);
  vi.spyOn(window, 'showInformationMessage').mockImplementation(((text: string) => {
    recorded.messages.push(text);
    return Promise.resolve(press);
  }) as never);
  const sent: unknown[] = [];
  const publish = vi.fn<(dir: string, options: PublishOptions) => Promise<undefined>>();
  const parts = {
    directories: { uriOf: Uri.file, meantBy: async () => '/' },
    keys: { get: async () => 'KEY' },
    history: {
      variables: async () => there,
      setVariables: async (content: object, values: unknown) => void sent.push(content, values),
    },
    memory: { choice: () => ({ server: 'https://production.example.com', type: 'static' }) },
    publisher: { publish },
  } as unknown as CommandParts;
  const run = (argument: unknown = { dir: '/', record }) => setVariables.run(parts, argument);
  return { disk, asked, sent, publish, run };
}

test('does not preselect variables already set or meant for the command line', async () => {
  const text = 'A=1\nCONNECT_API_KEY=hunter2\nB=pa#ss';
  const { asked, sent, run } = setup({ '.env': text }, { there: ['A'] });
  await run();
  expect(asked.map(({ label, description, picked }) => [label, description, picked])).toEqual([
    ['A', 'already set on the server', false],
    ['CONNECT_API_KEY', 'used by the command line, not by content', false],
    ['B', '', true],
  ]);
  expect(sent).toEqual([record, [{ name: 'B', value: 'pa#ss' }]]);
});

test('Publish Again goes to the content whose variables were set', async () => {
  const { publish, run } = setup({ '.env': 'A=1' }, { press: 'Publish Again' });
  await run();
  await expect.poll(() => publish).toHaveBeenCalled();
  expect(publish.mock.calls).toEqual([['/', { to: record }]]);
});

test('shows why Publish Again failed before it started', async () => {
  const { publish, run } = setup({ '.env': 'A=1' }, { press: 'Publish Again' });
  publish.mockRejectedValue(new Error('the disk is full'));
  await run();
  await expect.poll(() => recorded.messages).toContain('the disk is full.');
});

test('saves editors before it reads the file', async () => {
  const { disk, sent, run } = setup({ '.env': 'A=1' });
  vi.spyOn(workspace, 'saveAll').mockImplementation(async () => {
    disk.write('.env', 'A=2');
    return true;
  });
  await run();
  expect(sent).toEqual([record, [{ name: 'A', value: '2' }]]);
});

test('ignores templates and folders', async () => {
  const { disk, asked, run } = setup({ '.env.example': 'A=', '.environment': 'A=' });
  disk.list('/', [['.env', FileType.Directory]]);
  await run();
  expect(asked).toEqual([]);
  expect(recorded.messages).toEqual(['This folder has no .env or .Renviron file.']);
});

test('reports an unreadable line by its number', async () => {
  const { run } = setup({ '.env': 'A=1\nhunter2' });
  await expect(run()).rejects.toMatchObject({ file: '.env', line: 2 });
});
