import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { window } from 'vscode';
import { recorded } from '../testing/fake-vscode.ts';
import type { CommandParts } from './command.ts';
import { signOut } from './sign-out.ts';

// Other test files of this worker may have left messages.
beforeEach(() => recorded.reset());
afterEach(() => {
  vi.restoreAllMocks();
});

test('shows a message instead of an empty list without a signed-in server', async () => {
  const list = vi.spyOn(window, 'showQuickPick');
  await signOut.run({ keys: { accounts: () => [] }, refresh: () => undefined } as unknown as CommandParts);
  expect(list).not.toHaveBeenCalled();
  expect(recorded.messages).toEqual(['You are not signed in to a server.']);
});
