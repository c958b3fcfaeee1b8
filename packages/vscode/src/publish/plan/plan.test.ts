import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRecord } from '@pressroom/api/publish';
import { afterEach, expect, test } from 'vitest';
import { createKeys } from '../../sign-in/keys.ts';
import type { SignIn } from '../../sign-in/sign-in.ts';
import { createMemory } from '../../store/memory.ts';
import { createStores, recorded } from '../../testing/fake-vscode.ts';
import { createCopies } from '../directories/copies.ts';
import { createDirectories } from '../directories/directories.ts';
import { createPlanner, type PlannerParts } from './plan.ts';

const OURS = 'https://ours.example.com';
const THEIRS = 'https://theirs.example.com';
const onDisk = createDirectories(createCopies({} as never), undefined);
const dependencies = { check: async () => undefined, complete: async () => 0 };
const dirs: string[] = [];
afterEach(async () => {
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true });
});

const recordOf = (server: string) => ({
  server,
  guid: 'cccccccc-0000-4000-8000-000000000009',
  name: 'page',
  app_mode: 'static',
  entrypoint: 'index.html',
  bundle_id: '1',
  deployed_time: '2026-01-01T00:00:00Z',
});

async function setup(
  recordServer: string | null,
  directories: PlannerParts['directories'] = onDisk,
  chosen?: string,
) {
  const dir = await mkdtemp(join(tmpdir(), 'pressroom-plan-'));
  dirs.push(dir);
  await writeFile(join(dir, 'index.html'), '<p>');
  if (recordServer !== null) await writeRecord(dir, recordOf(recordServer));
  const { secrets, state } = createStores();
  const keys = createKeys(secrets, state);
  await keys.store({ server: OURS, username: 'ada', guid: 'g' }, 'OUR-KEY');
  const asked: string[] = [];
  const signIn: SignIn = {
    server: async () => {
      asked.push('server');
      return chosen;
    },
    key: async (server) => asked.push(server) < 0,
  };
  const memory = createMemory(undefined);
  return {
    dir,
    asked,
    memory,
    planner: createPlanner({
      keys,
      signIn,
      memory,
      directories,
      dependencies,
      preflight: { find: async () => [] },
    }),
  };
}

test('plans a published directory without a question', async () => {
  const { dir, asked, planner } = await setup(OURS);
  expect(await planner.plan(dir)).toEqual({
    server: OURS,
    key: 'OUR-KEY',
    guid: 'cccccccc-0000-4000-8000-000000000009',
    target: 'ours.example.com',
  });
  expect(asked).toEqual([]);
});

test('a folder that another client published goes to the same content, or becomes new content', async () => {
  const guid = 'b5fbd52c-483b-4c59-8f76-0760d266e496';
  const { dir, planner } = await setup(null, onDisk, OURS);
  await mkdir(join(dir, 'rsconnect-python'));
  const record = { [OURS]: { server_url: OURS, app_guid: guid } };
  await writeFile(join(dir, 'rsconnect-python/page.json'), JSON.stringify(record));
  recorded.reset();
  recorded.choose.push('Publish to the same content');
  expect(await planner.plan(dir)).toMatchObject({ server: OURS, key: 'OUR-KEY', guid });
  expect(recorded.picks).toMatchObject([
    {
      placeholder: 'rsconnect-python published this folder to ours.example.com before.',
      rows: [{ detail: `${OURS}/content/${guid}/` }, {}],
    },
  ]);
  recorded.choose.push('Publish as new', 'Web page');
  const plan = await planner.plan(dir);
  expect(plan).toMatchObject({ server: OURS, confirmed: true });
  expect(plan).not.toHaveProperty('guid');
  expect(await planner.plan(dir, { elsewhere: true })).toBeUndefined();
  expect(recorded.picks.at(-1)?.placeholder).not.toContain('before');
});

test('uses a named target, even when its record is gone', async () => {
  const { dir, memory, planner } = await setup(OURS);
  memory.choose(dir, { server: OURS, type: 'static', entrypoint: 'index.html' });
  const to = { server: OURS, guid: 'cccccccc-0000-4000-8000-000000000001' };
  expect(await planner.plan(dir, { to })).toMatchObject({ ...to, type: 'static', key: 'OUR-KEY' });
});

test('keeps the type and entry point that were picked', async () => {
  const { dir, memory, planner } = await setup(OURS);
  const { guid: recorded } = recordOf(OURS);
  memory.choose(dir, { server: OURS, recorded, type: 'rmd-static', entrypoint: 'report.Rmd' });
  expect(await planner.plan(dir)).toMatchObject({ type: 'rmd-static', entrypoint: 'report.Rmd' });
});

test('answers for other content of the folder do not change the type or entry point of recorded content', async () => {
  const { dir, memory, planner } = await setup(OURS);
  const accepted = ['key.pem'];
  memory.choose(dir, {
    server: OURS,
    type: 'rmd-static',
    entrypoint: 'report.Rmd',
    title: 'Other',
    accepted,
  });
  expect(await planner.plan(dir)).toEqual({
    server: OURS,
    accepted,
    guid: recordOf(OURS).guid,
    key: 'OUR-KEY',
    target: 'ours.example.com',
  });
});

test('never uses the key of one server for a record of another', async () => {
  const { dir, asked, memory, planner } = await setup(THEIRS);
  memory.choose(dir, { server: OURS });
  expect(await planner.plan(dir)).toBeUndefined();
  expect(asked).toEqual([THEIRS]);
});

test('asks no question with ask: false, as for a language model', async () => {
  const first = await setup(null);
  expect(await first.planner.plan(first.dir, { ask: false })).toBeUndefined();
  const other = await setup(THEIRS);
  expect(await other.planner.plan(other.dir, { ask: false })).toBeUndefined();
  expect([...first.asked, ...other.asked]).toEqual([]);
});

test('reuses the answers of a failed first attempt', async () => {
  const { dir, asked, memory, planner } = await setup(null);
  memory.choose(dir, { server: OURS });
  expect(await planner.plan(dir)).toEqual({ server: OURS, key: 'OUR-KEY', target: 'ours.example.com' });
  expect(asked).toEqual([]);
});

test('asks again when the record of published content is gone, and offers the same content', async () => {
  const { dir, asked, memory, planner } = await setup(null, onDisk, OURS);
  const guid = 'cccccccc-0000-4000-8000-000000000009';
  memory.choose(dir, { server: OURS });
  memory.aim(dir, { server: OURS, guid });
  recorded.reset();
  recorded.choose.push('Publish to the same content');
  expect(await planner.plan(dir)).toMatchObject({ server: OURS, key: 'OUR-KEY', guid });
  expect(asked).toEqual(['server']);
  expect(recorded.picks).toMatchObject([
    { placeholder: 'Pressroom published this folder to ours.example.com before.' },
  ]);
  recorded.choose.push('Publish as new', 'Web page');
  expect(await planner.plan(dir)).not.toHaveProperty('guid');
});

/** A folder with two pages; the first was published. */
async function twoPages() {
  const bench = await setup(OURS, onDisk, OURS);
  const other = join(bench.dir, 'quarterly.html');
  await writeFile(other, '<p>');
  recorded.reset();
  return { ...bench, other, first: join(bench.dir, 'index.html') };
}

test('another document of a published folder becomes new content, with a title of its own', async () => {
  const { dir, planner, other, first } = await twoPages();
  recorded.choose.push('Publish quarterly.html as new content', 'Web page');
  const plan = await planner.plan(dir, { file: other });
  expect(plan).toMatchObject({ asNew: true, entrypoint: 'quarterly.html', title: 'quarterly' });
  expect(plan).not.toHaveProperty('guid');
  expect(recorded.picks[0]).toMatchObject({
    placeholder: 'quarterly.html was not published yet. What do you want to publish?',
    rows: [{}, { label: '$(repo-push) Publish index.html', description: 'ours.example.com' }],
  });
  // What was published goes to its own target, as does every other file, and nothing is asked.
  for (const file of [first, join(dir, 'style.css'), undefined])
    expect(await planner.plan(dir, { file })).toMatchObject({ guid: recordOf(OURS).guid });
  expect(recorded.picks).toHaveLength(2);
});

test('a document with a target of its own goes there, whichever is active', async () => {
  const { dir, memory, planner, other, first } = await twoPages();
  const guid = 'cccccccc-0000-4000-8000-000000000010';
  await writeRecord(dir, { ...recordOf(OURS), guid, name: 'quarterly', entrypoint: 'quarterly.html' });
  memory.aim(dir, { server: OURS, guid });
  expect(await planner.plan(dir, { file: first })).toMatchObject({ guid: recordOf(OURS).guid });
  expect(await planner.plan(dir, { file: other })).toMatchObject({ guid });
  expect(await planner.plan(dir)).toMatchObject({ guid });
  expect(recorded.picks).toEqual([]);
});

test('asks once about a document that is part of what was published', async () => {
  const { dir, planner, other } = await twoPages();
  expect(await planner.plan(dir, { file: other })).toBeUndefined();
  recorded.choose.push('Publish index.html');
  for (let times = 0; times < 2; times += 1)
    expect(await planner.plan(dir, { file: other })).toMatchObject({ guid: recordOf(OURS).guid });
  expect(recorded.picks).toHaveLength(2);
  expect(await planner.plan(dir, { file: other, ask: false })).toMatchObject({ guid: recordOf(OURS).guid });
});

test.each([
  ['has no known start', { entrypoint: null }, {}],
  ['has its own manifest.json', {}, { 'manifest.json': '{"version":1,"metadata":{"appmode":"static"}}' }],
])('asks about no file when what was published %s', async (_why, fields, files: Record<string, string>) => {
  const { dir, planner } = await setup(null);
  await writeRecord(dir, { ...recordOf(OURS), ...fields });
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  await writeFile(join(dir, 'other.html'), '<p>');
  recorded.reset();
  expect(await planner.plan(dir, { file: join(dir, 'other.html') })).toMatchObject({
    guid: recordOf(OURS).guid,
  });
  expect(recorded.picks).toEqual([]);
});

test('the pages of a site are part of it', async () => {
  const { dir, planner } = await setup(null);
  const site = { ...recordOf(OURS), app_mode: 'rmd-static', entrypoint: 'index.Rmd' };
  for (const name of ['index.Rmd', 'about.Rmd']) await writeFile(join(dir, name), '---\ntitle: x\n---\n');
  await writeFile(join(dir, '_site.yml'), 'name: x\n');
  await writeRecord(dir, site);
  recorded.reset();
  expect(await planner.plan(dir, { file: join(dir, 'about.Rmd') })).toMatchObject({ guid: site.guid });
  expect(recorded.picks).toEqual([]);
});

test('reads the record of a virtual folder before it asks', async () => {
  const scan = async (dir: string) => void (await writeRecord(dir, recordOf(OURS)));
  const { dir, asked, planner } = await setup(null, { ...onDisk, scan });
  expect(await planner.plan(dir)).toMatchObject({ server: OURS });
  expect(asked).toEqual([]);
});
