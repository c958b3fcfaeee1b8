import { expect, onTestFinished, test, vi } from 'vitest';
import { window } from 'vscode';
import type { CommandParts } from './command.ts';
import { discardDraft } from './discard-draft.ts';

test('a discarded draft is no longer shown as ready', async () => {
  vi.spyOn(window, 'showWarningMessage').mockResolvedValue('Discard' as never);
  onTestFinished(() => void vi.restoreAllMocks());
  const forget = vi.fn<(dir: string) => void>();
  const parts = {
    keys: { get: async () => 'KEY' },
    history: { drafts: async () => [{ bundle_id: '2', preview: null }], discardDraft: async () => undefined },
    store: { refresh: () => undefined },
    runs: { forget },
  } as unknown as CommandParts;
  const record = { server: 'https://example.com', guid: 'g', name: 'report' };
  await discardDraft.run(parts, { dir: '/a', record, bundle: { id: '2' } });
  expect(forget).toHaveBeenCalledWith('/a');
});
