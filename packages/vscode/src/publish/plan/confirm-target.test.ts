import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Uri, window, workspace } from 'vscode';
import { extensionManifest } from '../../manifest/manifest.ts';
import { recorded, settings } from '../../testing/fake-vscode.ts';
import { confirmTarget } from './confirm-target.ts';

// Other test files of this worker may have left messages.
beforeEach(() => recorded.reset());
afterEach(() => {
  vi.restoreAllMocks();
  settings.clear();
});

const ask = (where: string) => [`Publish report to ${where}?`, 'Publish'] as const;
const plan = { server: 'https://connect.example.com/live', target: 'production' };

test.each([['production'], ['connect.example.com/live'], ['https://connect.example.com/live'], ['*']])(
  'asks for confirmation of a target that the settings name as %s',
  async (name) => {
    settings.set('confirmBeforePublish', ['elsewhere', name]);
    const shown = vi.spyOn(window, 'showWarningMessage').mockResolvedValue(undefined as never);
    expect(await confirmTarget(plan, undefined, ask)).toBe(false);
    expect(shown.mock.calls[0]?.[0]).toBe('Publish report to production (connect.example.com/live)?');
    shown.mockResolvedValue('Publish' as never);
    expect(await confirmTarget(plan, undefined, ask)).toBe(true);
  },
);

test('does not ask for other targets or a confirmed one', async () => {
  const shown = vi.spyOn(window, 'showWarningMessage').mockResolvedValue(undefined as never);
  expect(await confirmTarget(plan, undefined, ask)).toBe(true);
  settings.set('confirmBeforePublish', ['prod', 3, null]);
  expect(await confirmTarget(plan, undefined, ask)).toBe(true);
  settings.set('confirmBeforePublish', 'production');
  expect(await confirmTarget(plan, undefined, ask)).toBe(true);
  settings.set('confirmBeforePublish', ['*']);
  expect(await confirmTarget({ ...plan, confirmed: true }, undefined, ask)).toBe(true);
  expect(shown).not.toHaveBeenCalled();
});

test('uses the settings of the folder in a multi-root workspace', async () => {
  const production = Uri.file('/folder/production');
  vi.spyOn(workspace, 'getConfiguration').mockImplementation(((_section: string, of?: Uri) => ({
    inspect: () => ({ workspaceFolderValue: of?.path === production.path ? ['*'] : [] }),
  })) as never);
  const shown = vi.spyOn(window, 'showWarningMessage').mockResolvedValue(undefined as never);
  expect(await confirmTarget(plan, Uri.file('/folder/other'), ask)).toBe(true);
  expect(await confirmTarget(plan, production, ask)).toBe(false);
  expect(shown).toHaveBeenCalledTimes(1);
  // VS Code ignores other scopes per folder if several folders are open.
  const { properties } = extensionManifest('1').contributes.configuration;
  expect(properties['pressroom.confirmBeforePublish'].scope).toBe('resource');
});

test('a workspace adds targets to those of the user, and removes none', async () => {
  const values: Record<string, unknown> = {};
  vi.spyOn(workspace, 'getConfiguration').mockImplementation((() => ({
    get: () => values.workspaceFolderValue,
    inspect: () => values,
  })) as never);
  const shown = vi.spyOn(window, 'showWarningMessage').mockResolvedValue(undefined as never);
  Object.assign(values, { globalValue: ['production'], workspaceValue: [], workspaceFolderValue: [] });
  expect(await confirmTarget(plan, undefined, ask)).toBe(false);
  Object.assign(values, { globalValue: ['other'], workspaceValue: ['production'] });
  expect(await confirmTarget(plan, undefined, ask)).toBe(false);
  values.workspaceValue = 'nothing that is a list';
  expect(await confirmTarget(plan, undefined, ask)).toBe(true);
  expect(shown).toHaveBeenCalledTimes(2);
});
