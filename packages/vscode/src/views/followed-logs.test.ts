// Covers live logs of processes: how often a server is asked.
import { expect, test, vi } from 'vitest';
import { window } from '../testing/fake-vscode.ts';
import { createFollowedLogs } from './followed-logs.ts';

test('pauses between two requests, whatever the server responds', async () => {
  const channel = { show: vi.fn(), info: vi.fn(), error: vi.fn(), dispose: vi.fn() };
  Object.assign(window, { createOutputChannel: () => channel });
  const seen: string[] = [];
  const history = {
    processes: async () => [{ key: 'k', pid: '1', bundle_id: '1' }] as never,
    nextLines: async (_content: unknown, _key: string, { first }: { first: number }) => {
      seen.push('request');
      return { lines: ['x'], last: first + 1, finished: first === 2 };
    },
  };
  const sleep = async () => void seen.push('pause');
  const logs = createFollowedLogs(history, sleep);
  await logs.follow({ server: 'https://a.example.com', guid: 'g', name: 'app' });
  expect(seen).toEqual(['request', 'pause', 'request', 'pause', 'request']);
  expect(channel.error).not.toHaveBeenCalled();
});
