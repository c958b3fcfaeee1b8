// Covers live logs of processes: what the channel shows, and when following ends.
import type { FollowOptions } from '@pressroom/api/publish';
import { expect, test, vi } from 'vitest';
import { window } from '../testing/fake-vscode.ts';
import { createFollowedLogs } from './followed-logs.ts';

const CONTENT = { server: 'https://a.example.com', guid: 'g', name: 'app' };

/** A channel, and a history whose requests to follow are kept. */
function started() {
  const channel = { show: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn(), dispose: vi.fn() };
  Object.assign(window, { createOutputChannel: () => channel });
  const followed: (FollowOptions & { fail(error: Error): void })[] = [];
  const logs = createFollowedLogs({
    followProcesses: (_content, options) =>
      new Promise((_resolve, reject) => {
        followed.push({ ...options, fail: reject });
        options.signal.addEventListener('abort', () => reject(options.signal.reason));
      }),
  });
  const shown = () => channel.info.mock.calls.map(([line]) => line);
  return { channel, followed, logs, shown };
}

test('goes on with processes that start later, and says which one printed a line', async () => {
  const { followed, logs, shown } = started();
  void logs.follow(CONTENT);
  const [options] = followed;
  const job = (key: string) => ({ key, bundle_id: '7' }) as never;
  const line = (data: string) => [{ data, timestamp: '', source: 'stdout' }] as never;
  options!.onStart!(job('one'), false);
  options!.onLines('one', line('hello'), false);
  options!.onStart!(job('two'), true);
  options!.onLines('two', line('again'), true);
  options!.onEnd!(job('one'));
  expect(shown()).toEqual([
    'Process one of bundle 7',
    'hello',
    'Process two of bundle 7',
    'two  again',
    'Process one has ended.',
  ]);
});

test('following again ends what was followed, without an error', async () => {
  const { channel, followed, logs } = started();
  const first = logs.follow(CONTENT);
  void logs.follow(CONTENT);
  await first;
  expect(followed.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  expect(channel.error).not.toHaveBeenCalled();
});

test('says when the server does not respond, and when it does again', () => {
  const { channel, followed, logs, shown } = started();
  void logs.follow(CONTENT);
  followed[0]!.onLost!(new Error('The connection was lost') as never);
  followed[0]!.onBack!();
  expect(channel.warn).toHaveBeenCalledExactlyOnceWith('The connection was lost. Trying again…');
  expect(shown()).toEqual(['The server responds again.']);
});

test('a failure is shown in the channel', async () => {
  const { channel, followed, logs } = started();
  const following = logs.follow(CONTENT);
  followed[0]!.fail(new Error('The connection was lost.'));
  await following;
  expect(channel.error).toHaveBeenCalledExactlyOnceWith('The connection was lost.');
});
