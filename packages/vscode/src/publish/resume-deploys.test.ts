import { afterEach, expect, test } from 'vitest';
import { createMemory } from '../store/memory.ts';
import { grantTrust, workspace } from '../testing/fake-vscode.ts';
import { resumeDeploys } from './resume-deploys.ts';

const RUNNING = {
  dir: '/site',
  name: 'site',
  server: 'https://ours.example.com',
  guid: 'g',
  bundle_id: '1',
  task_id: 't',
  ownBundle: true,
};

afterEach(() => {
  workspace.isTrusted = true;
});

test('deploys are resumed at once in a trusted workspace, and otherwise when it becomes trusted', () => {
  const memory = createMemory(undefined);
  memory.begun(RUNNING);
  const resumed: string[] = [];
  const resume = () => resumeDeploys(memory, ({ task_id }) => resumed.push(task_id));
  resume().dispose();
  expect(resumed).toEqual(['t']);
  workspace.isTrusted = false;
  using _waiting = { [Symbol.dispose]: resume().dispose };
  expect(resumed).toEqual(['t']);
  grantTrust();
  expect(resumed).toEqual(['t', 't']);
});

test('a deploy that the account may not see any more is not resumed again and again', () => {
  const memory = createMemory(undefined);
  memory.begun({ ...RUNNING, forbidden: true });
  const resumed: string[] = [];
  resumeDeploys(memory, ({ task_id }) => resumed.push(task_id)).dispose();
  expect(resumed).toEqual([]);
  // Whoever asks for its status gets it.
  expect(memory.unfinished()).toHaveLength(1);
});
