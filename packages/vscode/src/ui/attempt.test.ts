import { RefusedError } from '@pressroom/api/client';
import { afterEach, expect, test, vi } from 'vitest';
import { commands, window } from 'vscode';
import { attempt } from './attempt.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('offers Sign In Again after a rejected key, and only shows other failures', async () => {
  const show = vi.spyOn(window, 'showErrorMessage').mockResolvedValue('Sign In Again' as never);
  const run = vi.spyOn(commands, 'executeCommand');
  const refusal = (status: number) =>
    new RefusedError({
      operation: 'x',
      server: 'https://x',
      status,
      code: null,
      payload: null,
      message: 'no',
    });
  await attempt(() => Promise.reject(refusal(401)));
  await vi.waitFor(() => expect(run).toHaveBeenCalledWith('pressroom.signIn', 'https://x'));
  await attempt(() => Promise.reject(refusal(403)));
  expect(show.mock.calls.map(([, ...buttons]) => buttons)).toEqual([['Sign In Again'], []]);
});
