// `npm run pictures`: takes the README's pictures from the running product; with names, only those.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createClient } from '@pressroom/api/client';
import { deploy } from '@pressroom/api/publish';
import { firstAdministrator, openBrowser, startServerProcess } from '@pressroom/testkit';
import { installExtensions } from '../editor/editor-setup.ts';
import { startWork, type Work } from '../editor/work.ts';
import { takeEditorReleases } from './editor-releases.ts';
import { takeReleases } from './releases.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PICTURES = join(ROOT, 'docs/images');
const EXAMPLES = [
  'fastapi-api',
  'jupyter-notebook',
  'plumber-api',
  'r-markdown-report',
  'shiny-app',
  'static-page',
];
const TITLES: Readonly<Record<string, string>> = {
  'fastapi-api': 'Sales API (Python)',
  'jupyter-notebook': 'Which café grows?',
  'plumber-api': 'Sales API (R)',
  'r-markdown-report': 'Café sales 2024',
  'shiny-app': 'Café sales, explored',
  'static-page': 'Three cafés, two years',
};

const chosen = process.argv.slice(2);
const isWanted = (name: string) => chosen.length === 0 || chosen.includes(name);

const dataDir = await mkdtemp(join(tmpdir(), 'pressroom-pictures-data-'));
try {
  if (['shiny-app', 'dashboard'].some(isWanted)) await takeServer();
  if (isWanted('editor')) await takeEditor();
  if (isWanted('editor-draft')) await takeDraft();
  if (isWanted('releases')) await takeReleases(PICTURES);
  if (isWanted('editor-releases')) await takeEditorReleases(PICTURES);
} finally {
  await rm(dataDir, { recursive: true, force: true });
}

/** With isolation and screenshots, as in production. */
async function takeServer(): Promise<void> {
  await using server = await startServerProcess(dataDir, {
    PRESSROOM_SCHEDULER_IDLETIMEOUT: '600',
    PRESSROOM_APPLICATIONS_PICTURES: 'true',
  });
  const { key, username, call } = await firstAdministrator(() => server.url);
  const client = createClient({ url: server.url, apiKey: key });
  const deployed = new Map<string, { url: string; guid: string }>();
  for (const name of EXAMPLES) {
    const dir = join(ROOT, 'examples', name);
    const title = TITLES[name]!;
    for await (const event of deploy({ client, dir, name, title, access_type: 'all', record: false })) {
      if (event.type === 'done') deployed.set(name, { url: event.url, guid: event.content.guid });
    }
  }
  await using browser = await openBrowser();
  const page = await (await browser.newContext({ viewport: { width: 1180, height: 760 } })).newPage();
  const take = (name: string) => page.screenshot({ path: join(PICTURES, `${name}.png`) });

  await page.goto(deployed.get('shiny-app')!.url);
  await page.locator('#months img').waitFor();
  if (isWanted('shiny-app')) await take('shiny-app');
  if (!isWanted('dashboard')) return;
  for (const name of ['jupyter-notebook', 'r-markdown-report', 'static-page']) {
    const path = `/v1/content/${deployed.get(name)!.guid}/thumbnail`;
    while ((await call('GET', path)).status !== 200) await setTimeout(200);
  }
  // Applications have uploaded thumbnails.
  const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 1180, height: 738 } });
  await call('PUT', `/v1/content/${deployed.get('shiny-app')!.guid}/thumbnail`, { raw: picture });
  await page.goto(`${server.url}/__dashboard__/`);
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill('correct horse');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Content' }).waitFor();
  await page.waitForLoadState('networkidle');
  await take('dashboard');
}

/** A draft next to the live bundle, in dark mode. */
async function takeDraft(): Promise<void> {
  const temporary = await mkdtemp(join(tmpdir(), 'pressroom-pictures-'));
  try {
    const extensions = await installExtensions(temporary);
    const settings = { 'workbench.colorTheme': 'Default Dark Modern' };
    await using work = await startWork({ extensions, settings });
    const { editor, folder } = work;
    await editor.page.setViewportSize({ width: 900, height: 560 });
    await work.firstTime();
    await work.toast('static-page is live');
    await work.clearToasts();
    await work.command('pressroom.publishDraft', folder);
    await work.toast('The draft of static-page is ready');
    await openTree(work);
    await editor.page.getByText('Publishing static-page as a draft: ').waitFor({ state: 'detached' });
    await editor.page.mouse.move(700, 20);
    await editor.page.screenshot({ path: join(PICTURES, 'editor-draft.png') });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** A live report that fails after a change: the line is marked, the log has the reason, the old bundle stays live. */
async function takeEditor(): Promise<void> {
  const temporary = await mkdtemp(join(tmpdir(), 'pressroom-pictures-'));
  try {
    const extensions = await installExtensions(temporary);
    const settings = { 'editor.minimap.enabled': false, 'editor.renderLineHighlight': 'none' };
    await using work = await startWork({ extensions, settings, examples: ['r-markdown-report'] });
    const { editor, folder } = work;
    await editor.page.setViewportSize({ width: 1180, height: 720 });
    await work.firstTime();
    await work.toast('r-markdown-report is live');
    const file = join(folder, 'index.Rmd');
    const report = await readFile(file, 'utf8');
    await writeFile(file, report.replace('barplot(units,', 'barplot(unitz,'));
    await work.clearToasts();
    await work.command('pressroom.publish');
    await work.toast(/Could not publish/);
    await work.press('Open File at Line');
    await openTree(work);
    await editor.page.locator('.squiggly-error').first().waitFor();
    await editor.page.mouse.move(700, 20);
    await editor.page.screenshot({ path: join(PICTURES, 'editor.png') });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The folder's files, and its deployments with bundles. */
async function openTree(work: Work): Promise<void> {
  await work.command('pressroom.showFiles', work.folder);
  await work.command('pressroom.deployments.focus');
  const row = (level: number) =>
    work.editor.page.locator(`.pane-body .monaco-list-row[aria-level="${level}"]`).first();
  await row(1).click();
  await row(2).click();
  await row(3).waitFor();
}
