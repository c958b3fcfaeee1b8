// Covers what a confirmed call of a language model does if something changed after the confirmation.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeRecord } from '@pressroom/api/publish';
import { expect, onTestFinished, test, vi } from 'vitest';
import { lm, type LanguageModelTool, type LanguageModelToolResult } from 'vscode';
import type { Actions } from '../actions.ts';
import { workspace } from '../testing/fake-vscode.ts';
import { registerTools } from './register.ts';
import { TOOLS } from './table.ts';
import type { ToolInput } from './tool.ts';

const RECORD = {
  server: 'https://one.example.com',
  guid: 'aaaaaaaa-0000-4000-8000-000000000001',
  name: 'report',
  app_mode: 'static',
  entrypoint: 'index.html',
  bundle_id: null,
  deployed_time: '2026-01-01T00:00:00Z',
};
/** Shown in the same words. */
const OTHER = { ...RECORD, guid: 'aaaaaaaa-0000-4000-8000-000000000002' };
const token = { onCancellationRequested: () => undefined } as never;

async function createBench(name: keyof typeof TOOLS) {
  const dir = await mkdtemp(path.join(tmpdir(), 'pressroom-tools-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  await writeFile(path.join(dir, 'index.html'), '<p>');
  await writeRecord(dir, RECORD);
  const state = { target: RECORD, previous: '7', accepted: [] as string[] };
  const done: unknown[] = [];
  const toolParts = {
    directories: {
      folderOf: () => dir,
      pathOf: () => dir,
      update: async () => undefined,
      excludeOf: () => [],
    },
    memory: {
      target: () => state.target,
      choice: () => ({ server: RECORD.server, accepted: state.accepted }),
    },
    keys: { accounts: () => [], get: async () => 'key' },
    dependencies: { check: async () => undefined },
    history: {
      previous: async () => ({ id: state.previous }),
      setVariables: async ({ guid }: typeof RECORD) => void done.push(guid),
    },
    publisher: {
      publish: async (_dir: string, { to }: { to?: typeof RECORD }) => void done.push(to?.guid),
      rollback: async (_dir: string, { guid, bundle_id }: typeof RECORD) => void done.push([guid, bundle_id]),
    },
  };
  workspace.workspaceFolders = [{ uri: dir }] as never;
  onTestFinished(() => void (workspace.workspaceFolders = []));
  const register = vi.spyOn(lm, 'registerTool');
  onTestFinished(() => register.mockRestore());
  registerTools(
    [{ name: `pressroom_${name}` }],
    async () => ({ tool: (wanted: string) => TOOLS[wanted], toolParts }) as unknown as Actions,
  );
  const tool = register.mock.lastCall![1] as LanguageModelTool<ToolInput>;
  return { dir, state, done, tool };
}

/** Confirms a call, and makes it after `meanwhile`. */
async function call(
  name: string,
  input: ToolInput,
  meanwhile: (bench: Awaited<ReturnType<typeof createBench>>) => unknown,
) {
  const bench = await createBench(name);
  const prepared = await bench.tool.prepareInvocation!({ input } as never, token);
  await meanwhile(bench);
  const result = (await bench.tool.invoke({ input } as never, token)) as LanguageModelToolResult;
  const [{ value }] = result.content as [{ value: string }];
  return { asked: JSON.stringify(prepared), value, done: bench.done };
}

const CHANGED = /^Nothing was done/;

test('a confirmed rollback goes to the bundle that was confirmed', async () => {
  const { asked, done } = await call('roll_back', {}, () => undefined);
  expect(asked).toContain('Bundle 7');
  expect(done).toEqual([[RECORD.guid, '7']]);
});

test('nothing is rolled back if another bundle would be made live than was confirmed', async () => {
  const { value, done } = await call('roll_back', {}, ({ state }) => (state.previous = '8'));
  expect(value).toMatch(CHANGED);
  expect(done).toEqual([]);
});

test('variables are set of the target that was confirmed, if another one with its name is active', async () => {
  const { done } = await call('set_variables', { variables: { TOKEN: 'x' } }, async ({ dir, state }) => {
    await writeRecord(dir, OTHER);
    state.target = OTHER;
  });
  expect(done).toEqual([RECORD.guid]);
});

test('a publish sends the files that were confirmed, to that target', async () => {
  const same = await call('publish', {}, async ({ dir, state }) => {
    await writeRecord(dir, OTHER);
    state.target = OTHER;
  });
  expect(same.done).toEqual([RECORD.guid]);
  const more = await call('publish', {}, ({ dir }) => writeFile(path.join(dir, 'secrets.csv'), 'x'));
  expect(more.value).toMatch(CHANGED);
  expect(more.done).toEqual([]);
});

test('a publish names files that may hold secrets, unless they were accepted before', async () => {
  const bench = await createBench('publish');
  await writeFile(path.join(bench.dir, 'server.pem'), 'x');
  const lines = async () =>
    JSON.stringify(await bench.tool.prepareInvocation!({ input: {} } as never, token));
  expect(await lines()).toContain('May hold secrets: server.pem');
  bench.state.accepted = ['server.pem'];
  expect(await lines()).not.toContain('May hold secrets');
});

test.each(['publish', 'inspect'] as const)(
  '%s tells the files that an own manifest.json lists, which a publish sends',
  async (name) => {
    const { dir, tool } = await createBench(name);
    const manifest = {
      version: 1,
      metadata: { appmode: 'static', primary_html: 'index.html' },
      files: { 'index.html': { checksum: '' }, 'deploy.key': { checksum: '' }, '.env': { checksum: '' } },
    };
    await writeFile(path.join(dir, 'manifest.json'), JSON.stringify(manifest));
    await writeFile(path.join(dir, 'deploy.key'), '');
    await writeFile(path.join(dir, '.env'), '');
    await writeFile(path.join(dir, '.pressroomignore'), 'deploy.key');
    await writeFile(path.join(dir, 'added-later.csv'), '1');
    const prepared = await tool.prepareInvocation!({ input: {} } as never, token);
    const told =
      name === 'publish'
        ? JSON.stringify(prepared)
        : JSON.stringify(await tool.invoke({ input: {} } as never, token));
    expect(told).toMatch(/added-later\.csv.{1,30}manifest\.json does not list it/);
    expect(told).not.toContain('left out by an ignore file');
    if (name === 'publish') expect(told).toContain('May hold secrets: .env, deploy.key');
  },
);
