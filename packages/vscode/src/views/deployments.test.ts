// Covers the rows of the tree: what they show, and what screen readers hear.
import type { BundleRelease } from '@pressroom/api/contract';
import { expect, test } from 'vitest';
import type { CancellationToken, TreeItem } from 'vscode';
import { extensionManifest } from '../manifest/manifest.ts';
import type { Run } from '../store/runs.ts';
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
  file: `/project/report/.pressroom/deployments/${target}.toml`,
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

const TARGETS = [record('staging', '3'), record('production', null)];

async function rows(
  release: BundleRelease | null = null,
  targets = TARGETS,
  run?: Run,
  others: readonly string[] = [],
): Promise<{ label: string; heard: string; tooltip: unknown; context: string }[]> {
  const commit = {
    metadata: { source_commit: '0123456789abcdef', source_subject: 'Count', source_author: 'Ada' },
  };
  const bundles = [bundle('3', { active: true, ...commit }), bundle('2'), bundle('1')];
  const drafts = [{ bundle_id: '2', preview: 'blue' }];
  const state = { dir: '/project/report', targets, active: targets[0], problem: null };
  const store = {
    directories: async () => [state, ...others.map((dir) => ({ ...state, dir }))],
    bundles: async () => ({ state: 'loaded', bundles, drafts }),
    run: () => run,
    guess: async () => 'Web page, index.html',
    onDidChange: new EventEmitter<string | undefined>().event,
  } as unknown as Store;
  const directories = { folderOf: () => undefined, pathOf: () => undefined, uriOf: Uri.file };
  const view = createDeployments(
    store,
    directories as never,
    () => NOW,
    async (_record, id) => (id === '2' ? release : null),
  );
  const seen: Awaited<ReturnType<typeof rows>> = [];
  const walk = async (node?: DeploymentNode): Promise<void> => {
    for (const child of (await view.getChildren(node)) ?? []) {
      const item = (await view.getTreeItem(child)) as TreeItem;
      const pointed = await view.resolveTreeItem!(item, child, {} as CancellationToken);
      const { label, accessibilityInformation, tooltip, contextValue: context = '' } = pointed!;
      seen.push({ label: String(label), heard: accessibilityInformation?.label ?? '', tooltip, context });
      await walk(child);
    }
  };
  await walk();
  view.dispose();
  return seen;
}

test('announces every row as its name followed by its description', async () => {
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

test('distinguishes directories of the same name', async () => {
  const heard = (await rows(null, TARGETS, undefined, ['/other/report'])).map((row) => row.heard);
  expect(heard.filter((row) => row.includes('staging · 1 h'))).toEqual([
    'report, project · staging · 1 h ago',
    'report, other · staging · 1 h ago',
  ]);
});

test('does not show content as live once its last target is forgotten', async () => {
  const run = { dir: '/project/report', state: 'done', text: 'Live' } as Run;
  const heard = async (targets: typeof TARGETS) => (await rows(null, targets, run))[0]?.heard;
  expect(await heard(TARGETS)).toBe('report, Live');
  expect(await heard([])).toBe('report, not published · Web page, index.html');
});

test('shows the end of a publish while its target is active, and an unknown end always', async () => {
  const { server, guid } = TARGETS[0]!;
  const ended = async (state: string, content: object) => {
    const run = { dir: '/project/report', state, text: 'It ended', ...content } as Run;
    return (await rows(null, TARGETS, run))[0]?.heard;
  };
  const other = { server, guid: TARGETS[1]!.guid };
  expect(await ended('done', { server, guid })).toBe('report, It ended');
  expect(await ended('done', other)).toBe('report, staging · 1 h ago');
  expect(await ended('failed', other)).toBe('report, staging · 1 h ago');
  expect(await ended('unknown', other)).toBe('report, It ended');
});

test('shows the commit of a bundle in its tooltip', async () => {
  const [, , first] = await rows();
  expect(first?.tooltip).toBe('Count\nAda\n0123456789abcdef');
});

test('shows the release of a bundle in its tooltip', async () => {
  const figures = { requests: 40, errors: 4, p90_ms: 12 };
  const step = { time: '2026-03-01T11:00:00Z', username: 'ada', reason: null };
  const release = {
    state: 'back',
    commit: null,
    approval: { approvals: [{}], needed: 2 },
    canary: { canary: figures, live: { ...figures, errors: 0 } },
    use: { days: 30, people: 2, total: 5 },
    links: { results: [{ content_name: 'overview', content_title: 'Overview' }], total: 3 },
    steps: [
      { ...step, what: 'uploaded' },
      { ...step, what: 'back', reason: '10 % of its requests failed', username: null },
    ],
  } as unknown as BundleRelease;
  const [, , , second] = await rows(release);
  const time = new Date(step.time).toLocaleString();
  expect(second?.tooltip).toBe(
    [
      'Not live: it was rolled back',
      'Approvals: 1 of 2',
      'Canary: 40 requests, 4 failed, 90 % within 12 ms',
      'Live meanwhile: 40 requests, 0 failed, 90 % within 12 ms',
      'In the last 30 days: people 2, visits and sessions 5.',
      'Content that links to it: Overview, and 2 more.',
      `${time} · uploaded · ada`,
      `${time} · rolled back · 10 % of its requests failed`,
    ].join('\n'),
  );
});

const ON_RUNNING = ['followLog', 'restart', 'showProcessLog', 'stop'];
const ON_RENDERED = ['schedule', 'showRenderingLog', 'variants'];

test.each([
  ['shiny', ON_RUNNING],
  ['rmd-static', ON_RENDERED],
  ['static', []],
  ['of-a-later-version', [...ON_RUNNING, ...ON_RENDERED]],
])('rows of content of type %s offer what this type supports', async (app_mode, offered) => {
  const target = { ...record('staging', '3'), app_mode };
  const run = { dir: '/project/report', state: 'unknown', server: target.server } as Run;
  const all = await rows(null, [target], run);
  const items = extensionManifest('1.0.0').contributes.menus['view/item/context'] as {
    command: string;
    when: string;
  }[];
  for (const { context } of all.slice(0, 2)) {
    const matching = items.filter(({ when }) =>
      new RegExp(/viewItem =~ \/(.*)\/$/.exec(when)?.[1] ?? '^$').test(context),
    );
    const names = new Set(matching.map(({ command }) => command.replace('pressroom.', '')));
    expect([...ON_RUNNING, ...ON_RENDERED].filter((name) => names.has(name))).toEqual(offered);
    expect(names).toContain('open');
  }
});
