import { expect, test } from 'vitest';
import type { CustomExecution } from '../testing/fake-vscode.ts';
import type { Directories } from './directories/directories.ts';
import type { Publisher } from './publisher.ts';
import { createTaskProvider } from './task-provider.ts';

/** Publishes as a task; returns what its terminal shows. */
async function shown(publish: Publisher['publish']): Promise<string> {
  const directories = { folderOf: () => ({}), pathOf: () => '/project' } as unknown as Directories;
  const provider = createTaskProvider({ publish }, directories);
  const task = await provider.resolveTask(
    { definition: { type: 'pressroom' }, scope: { uri: {} } } as never,
    {} as never,
  );
  const { execution } = task as unknown as { execution: CustomExecution };
  const terminal = await execution.open();
  let text = '';
  terminal.onDidWrite((written) => (text += written));
  const end = new Promise((resolve) => terminal.onDidClose?.(resolve));
  terminal.open(undefined);
  await end;
  return text;
}

test('a log cannot control the terminal of a task', async () => {
  const text = await shown(async (_dir, { onLine } = {}) => {
    onLine?.('built\n\u001B]52;c;ZXZpbA==\u0007\u001B]8;;https://evil.example.com\u001B\\live\u202E\tnow');
    return undefined;
  });
  expect(text).toBe('built\r\n]52;c;ZXZpbA==]8;;https://evil.example.com\\live\tnow\r\n');
});

test('nor can an error', async () => {
  const text = await shown(async () => {
    throw new Error('\u001B[2Jgone');
  });
  expect(text).toBe('Error: [2Jgone\r\n');
});
