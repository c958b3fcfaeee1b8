import { mkdtemp, rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Uri } from 'vscode';
import { recorded, window, workspace } from '../testing/fake-vscode.ts';
import { createCopies } from './directories/copies.ts';
import { createDirectories } from './directories/directories.ts';
import type { Publisher } from './publisher.ts';
import { createUriHandler } from './uri-handler.ts';

// Other test files of this worker may have left messages.
beforeEach(() => recorded.reset());
afterEach(() => {
  vi.restoreAllMocks();
  workspace.isTrusted = true;
});

/** Opens a link to this folder. Returns what was published. */
async function follow(query: string, failure?: Error): Promise<string[]> {
  const published: string[] = [];
  const publisher = {
    publish: async (dir: string) => {
      if (failure) throw failure;
      published.push(dir);
    },
  } as unknown as Publisher;
  vi.spyOn(workspace, 'getWorkspaceFolder').mockImplementation(((uri: { fsPath: string }) =>
    uri.fsPath.startsWith('/tmp') ? { uri: { scheme: 'file', fsPath: '/tmp' } } : undefined) as never);
  await createUriHandler(publisher, createDirectories(createCopies({} as never), undefined)).handleUri({
    path: '/publish',
    query,
  } as Uri);
  return published;
}

test('a link publishes only after a person agrees', async () => {
  expect(await follow('folder=/tmp')).toEqual([]);
  expect(recorded.messages).toEqual(['A link requests to publish tmp.']);
  vi.spyOn(window, 'showWarningMessage').mockResolvedValue('Publish' as never);
  expect(await follow('folder=/tmp')).toEqual(['/tmp']);
});

test.each([
  'folder=/etc',
  'folder=../etc',
  'folder=tmp',
  'folder=/tmp/../etc',
  'folder=/tmp/..',
  'folder=/tmp/no-such',
])('rejects a link to a folder that is not in the workspace: %s', async (query) => {
  vi.spyOn(window, 'showWarningMessage').mockResolvedValue('Publish' as never);
  expect(await follow(query)).toEqual([]);
  expect(recorded.messages).toEqual([expect.stringContaining('is not in this workspace')]);
});

test('a link names a folder as it is: the editor has decoded the address, except in the browser', async () => {
  vi.spyOn(window, 'showWarningMessage').mockResolvedValue('Publish' as never);
  const dir = await mkdtemp('/tmp/pressroom-c++ 100%25 ');
  try {
    for (const folder of [dir, encodeURIComponent(dir)])
      expect(await follow(`from=mail&folder=${folder}`)).toEqual([dir]);
  } finally {
    await rm(dir, { recursive: true });
  }
});

test('a link names a folder with "&" whole, not the one above it', async () => {
  vi.spyOn(window, 'showWarningMessage').mockResolvedValue('Publish' as never);
  const dir = await mkdtemp('/tmp/pressroom-R&D ');
  try {
    for (const folder of [dir, encodeURIComponent(dir)])
      expect(await follow(`folder=${folder}&windowId=_blank`)).toEqual([dir]);
  } finally {
    await rm(dir, { recursive: true });
  }
});

test('shows why the publish of a link failed before it started', async () => {
  vi.spyOn(window, 'showWarningMessage').mockResolvedValue('Publish' as never);
  await follow('folder=/tmp', new Error('the disk is full'));
  expect(recorded.messages).toEqual(['the disk is full.']);
});

test('ignores a link in Restricted Mode', async () => {
  workspace.isTrusted = false;
  expect(await follow('folder=/tmp')).toEqual([]);
});
