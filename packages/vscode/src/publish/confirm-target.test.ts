import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { window } from 'vscode';
import { said, settings } from '../testing/fake-vscode.ts';
import { confirmTarget } from './confirm-target.ts';

// Other files of this worker may have said something.
beforeEach(() => said.reset());
afterEach(() => {
  vi.restoreAllMocks();
  settings.clear();
});

const plan = { server: 'https://connect.example.com/live', target: 'production' };

test.each([['production'], ['connect.example.com/live'], ['https://connect.example.com/live'], ['*']])(
  'a target that the settings name as %s is asked for first',
  async (name) => {
    settings.set('confirmBeforePublish', ['elsewhere', name]);
    const ask = vi.spyOn(window, 'showWarningMessage').mockResolvedValue(undefined as never);
    expect(await confirmTarget('report', plan)).toBe(false);
    expect(ask.mock.calls[0]?.[0]).toBe('Publish report to production (connect.example.com/live)?');
    ask.mockResolvedValue('Publish' as never);
    expect(await confirmTarget('report', plan)).toBe(true);
  },
);

test('other targets, and what has just been confirmed, are not asked for', async () => {
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
