// What each row of the tree says, to those who see it and to those who hear it.
import type { TreeItem } from 'vscode';
import { expect, test } from 'vitest';
import type { Store } from '../store/store.ts';
import { EventEmitter, Uri } from '../testing/fake-vscode.ts';
import { createDeployments, type DeploymentNode } from './deployments.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const record = (target: string, bundle_id: string | null) => ({
  server: 'https://example.com',
  guid: `aaaaaaaa-0000-4000-8000-00000000000${target.length}`,
  name: 'report',
  app_mode: 'static',
  entrypoint: 'index.html',
  bundle_id,
  deployed_time: '2026-03-01T11:00:00Z',
  target,
  file: `/work/report/.pressroom/deployments/${target}.toml`,
});
const bundle = (id: string, fields: object = {}) => ({
  id,
  content_guid: 'aaaaaaaa-0000-4000-8000-000000000007',
  created_time: '2026-03-01T11:00:00Z',
  r_version: null,
  py_version: null,
  active: false,
  size: 2500,
  ...fields,
});

async function rows(): Promise<{ label: string; heard: string; tooltip: unknown }[]> {
  const targets = [record('staging', '3'), record('production', null)];
  const commit = {
    metadata: { source_commit: '0123456789abcdef', source_subject: 'Count', source_author: 'Ada' },
  };
  const bundles = [bundle('3', { active: true, ...commit }), bundle('2'), bundle('1')];
  const drafts = [{ bundle_id: '2', preview: 'blue' }];
  const state = { dir: '/work/report', targets, active: targets[0], problem: null };
  const store = {
    directories: async () => [state],
    bundles: async () => ({ state: 'loaded', bundles, drafts }),
    run: () => undefined,
    onDidChange: new EventEmitter<string | undefined>().event,
  } as unknown as Store;
  const directories = { folderOf: () => undefined, pathOf: () => undefined, uriOf: Uri.file };
  const view = createDeployments(store, directories as never, () => NOW);
  const seen: { label: string; heard: string; tooltip: unknown }[] = [];
  const walk = async (node?: DeploymentNode): Promise<void> => {
    for (const child of (await view.getChildren(node)) ?? []) {
      const { label, accessibilityInformation, tooltip } = (await view.getTreeItem(child)) as TreeItem;
      seen.push({ label: String(label), heard: accessibilityInformation?.label ?? '', tooltip });
      await walk(child);
    }
  };
  await walk();
  view.dispose();
  return seen;
}

test('every row is heard as what is seen: its name first, then what is said of it', async () => {
  expect((await rows()).map(({ heard }) => heard)).toEqual([
    'report, staging · 1 h ago',
    'staging, active target · report · example.com',
    'Bundle 3, active · 0123456 Count · 1 h ago · 2.5 kB',
    'Bundle 2, draft blue · 1 h ago · 2.5 kB',
    'Bundle 1, 1 h ago · 2.5 kB',
    'production, report · example.com',
    'Bundle 3, active · 0123456 Count · 1 h ago · 2.5 kB',
    'Bundle 2, draft blue · 1 h ago · 2.5 kB',
    'Bundle 1, 1 h ago · 2.5 kB',
  ]);
});

test('a bundle of a commit tells all of it in its tooltip', async () => {
  const [, , first] = await rows();
  expect(first?.tooltip).toBe('Count\nAda\n0123456789abcdef');
});
