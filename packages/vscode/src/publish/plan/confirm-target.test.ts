import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Uri, window, workspace } from 'vscode';
import { extensionManifest } from '../../manifest/manifest.ts';
import { said, settings } from '../../testing/fake-vscode.ts';
import { confirmTarget } from './confirm-target.ts';

// Other test files of this worker may have left messages.
beforeEach(() => said.reset());
afterEach(() => {
  vi.restoreAllMocks();
  settings.clear();
});

const plan = { server: 'https://connect.example.com/live', target: 'production' };

test.each([['production'], ['connect.example.com/live'], ['https://connect.example.com/live'], ['*']])(
  'asks for confirmation of a target that the settings name as %s',
  async (name) => {
    settings.set('confirmBeforePublish', ['elsewhere', name]);
    const ask = vi.spyOn(window, 'showWarningMessage').mockResolvedValue(undefined as never);
    expect(await confirmTarget('report', plan)).toBe(false);
    expect(ask.mock.calls[0]?.[0]).toBe('Publish report to production (connect.example.com/live)?');
    ask.mockResolvedValue('Publish' as never);
    expect(await confirmTarget('report', plan)).toBe(true);
  },
);

test('does not ask for other targets or a confirmed one', async () => {
  const ask = vi.spyOn(window, 'showWarningMessage').mockResolvedValue(undefined as never);
  expect(await confirmTarget('report', plan)).toBe(true);
  settings.set('confirmBeforePublish', ['prod', 3, null]);
  expect(await confirmTarget('report', plan)).toBe(true);
  settings.set('confirmBeforePublish', 'production');
  expect(await confirmTarget('report', plan)).toBe(true);
  settings.set('confirmBeforePublish', ['*']);
  expect(await confirmTarget('report', { ...plan, confirmed: true })).toBe(true);
  expect(ask).not.toHaveBeenCalled();
});

test('uses the settings of the folder in a multi-root workspace', async () => {
  const production = Uri.file('/folder/production');
  vi.spyOn(workspace, 'getConfiguration').mockImplementation(((_section: string, of?: Uri) => ({
    get: () => (of?.path === production.path ? ['*'] : []),
  })) as never);
  const ask = vi.spyOn(window, 'showWarningMessage').mockResolvedValue(undefined as never);
  expect(await confirmTarget('report', plan, Uri.file('/folder/other'))).toBe(true);
  expect(await confirmTarget('report', plan, production)).toBe(false);
  expect(ask).toHaveBeenCalledTimes(1);
  // VS Code ignores other scopes per folder if several folders are open.
  const { properties } = extensionManifest('1').contributes.configuration;
  expect(properties['pressroom.confirmBeforePublish'].scope).toBe('resource');
});
