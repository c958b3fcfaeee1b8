import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { FileType, Uri, window, workspace, type QuickPickItem } from 'vscode';
import { recorded } from '../testing/fake-vscode.ts';
import type { CommandParts } from './command.ts';
import { manageVariables } from './manage-variables.ts';

beforeEach(() => recorded.reset());
afterEach(() => {
  vi.restoreAllMocks();
});

test.each([
  ['a new file', FileType.File, '', ['/app/.env.example: A=\nB=\n']],
  [
    'a file with other lines',
    FileType.File,
    '# For tests\nB=example',
    ['/app/.env.example: # For tests\nB=example\nA=\n'],
  ],
  ['a file that has them', FileType.File, 'A=1\nexport B=2\n', []],
  ['a link of the repository', FileType.File | FileType.SymbolicLink, '', []],
])('the names of variables saved to %s', async (_what, type, before, wanted) => {
  const written: string[] = [];
  Object.assign(workspace, {
    fs: {
      stat: async () => ({ type }),
      readFile: async () => {
        if (before !== '') return Buffer.from(before);
        throw Object.assign(new Error('no file'), { code: 'FileNotFound' });
      },
      writeFile: async ({ path }: Uri, text: Uint8Array) =>
        void written.push(`${path}: ${Buffer.from(text).toString()}`),
    },
  });
  let shows = 0;
  const { createQuickPick } = window;
  Object.assign(window, {
    showTextDocument: async () => undefined,
    createQuickPick: () => {
      let accept = () => undefined as void;
      let hide = () => undefined as void;
      const pick = {
        items: [] as (QuickPickItem & { does: string })[],
        selectedItems: [] as QuickPickItem[],
        onDidAccept: (listen: () => void) => (accept = listen),
        onDidHide: (listen: () => void) => (hide = listen),
        onDidTriggerItemButton: () => undefined,
        show() {
          pick.selectedItems = pick.items.filter(({ does }) => does === 'save');
          if (++shows === 1) accept();
          else hide();
        },
        dispose: () => undefined,
      };
      return pick;
    },
  });
  // Files share the fake: the tests of another file would get this list.
  onTestFinished(() => {
    Object.assign(window, { createQuickPick });
    Object.assign(workspace, { fs: undefined });
    Reflect.deleteProperty(window, 'showTextDocument');
  });
  const parts = {
    directories: { uriOf: Uri.file },
    keys: { get: async () => 'KEY' },
    history: { variables: async () => ['A', 'B', 'C=1\nD'] },
  } as unknown as CommandParts;
  const record = { server: 'https://a.example.com', guid: 'g', name: 'app' };
  await manageVariables.run(parts, { dir: '/app', record });
  expect(written).toEqual(wanted);
});
