// In the editor: a bundle whose release is live, and one that was rolled back automatically, with their hovers.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecords, writeRecord } from '@pressroom/api/publish';
import { finishedTask, publish, PYTHON_API, pythonApi, upload } from '@pressroom/testkit';
import { installExtensions } from '../editor/editor-setup.ts';
import { startWork, type Work } from '../editor/work.ts';

/** @param pictures output directory */
export async function takeEditorReleases(pictures: string): Promise<void> {
  const temporary = await mkdtemp(join(tmpdir(), 'pressroom-pictures-'));
  try {
    const extensions = await installExtensions(temporary);
    await using work = await startWork({ extensions, settings: { 'workbench.hover.delay': 100 } });
    const { editor, folder, person } = work;
    await editor.page.setViewportSize({ width: 1000, height: 620 });
    await work.firstTime();
    await work.toast('static-page is live');
    await work.clearToasts();
    await work.command('pressroom.publishDraft', folder);
    await work.toast('The draft of static-page is ready');
    await work.clearToasts();
    const [live] = await readRecords(folder);
    const bundles = (await person.call('GET', `/v1/content/${live!.guid}/bundles`)).body as { id: string }[];
    const id = bundles.map((one) => one.id).toSorted((a, b) => Number(b) - Number(a))[0]!;
    const { body } = await person.call('POST', `/v1/content/${live!.guid}/deploy`, {
      body: { bundle_id: id },
    });
    await finishedTask(person, body.task_id);
    await goBack(work);
    await work.command('pressroom.refresh');
    await work.command('workbench.view.extension.pressroom');
    await work.command('pressroom.deployments.focus');
    await takePointed(work, 'static-page', id, join(pictures, 'release-editor.png'));
    await takePointed(work, 'prices-api', null, join(pictures, 'canary-editor.png'));
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** A canary in a separate folder, which fails one request in ten. */
async function goBack({ server, person, folder }: Work): Promise<void> {
  const { guid } = await publish(person, pythonApi('answer'), {
    metadata: PYTHON_API,
    fields: { name: 'prices-api' },
  });
  const id = await upload(person, guid, pythonApi('answer', 10), PYTHON_API);
  const before = (await person.call('GET', `/v1/content/${guid}`)).body.bundle_id;
  const started = await person.call('POST', `/v1/content/${guid}/deploy`, {
    body: { bundle_id: id, canary: { share: 20 } },
  });
  await finishedTask(person, started.body.task_id);
  const state = async () => (await person.call('GET', `/v1/content/${guid}/canary`)).body.state as string;
  while ((await state()) === 'running')
    await Promise.all(Array.from({ length: 10 }, () => server.anonymous('GET', `//content/${guid}/`)));
  const dir = join(folder, 'prices-api');
  await mkdir(dir);
  for (const [name, text] of Object.entries(pythonApi('answer', 10))) await writeFile(join(dir, name), text);
  await writeRecord(dir, {
    server: server.url,
    guid,
    name: 'prices-api',
    app_mode: 'python-api',
    entrypoint: 'app:app',
    bundle_id: before,
    deployed_time: new Date().toISOString(),
  });
}

async function takePointed(
  { editor: { page } }: Work,
  name: string,
  id: string | null,
  path: string,
): Promise<void> {
  const rows = page.locator('.pane-body .monaco-list-row');
  const directory = rows.filter({ hasText: name }).first();
  await directory.click();
  await page.keyboard.press('ArrowRight');
  const target = page
    .locator('.pane-body .monaco-list-row[aria-level="2"]')
    .filter({ hasText: name })
    .first();
  await target.click();
  const bundle = rows.filter({ hasText: id === null ? /Bundle \d+/ : `Bundle ${id}` }).filter({
    hasNotText: id === null ? 'active' : 'never',
  });
  await bundle.first().waitFor();
  const label = bundle.first().locator('.monaco-icon-label, .custom-view-tree-node-item').first();
  const box = (await label.boundingBox())!;
  const told = page
    .locator('.workbench-hover:visible')
    .getByText(id === null ? 'rolled back' : 'Live')
    .first();
  // The hover appears once the mouse moves there and rests.
  while (!(await told.isVisible())) {
    await page.mouse.move(700, 20);
    await page.mouse.move(box.x + 30, box.y + 8);
    await page.mouse.move(box.x + 60, box.y + 8, { steps: 5 });
    await told.waitFor({ timeout: 4000 }).catch(() => undefined);
  }
  await page.screenshot({ path });
  await directory.click();
}
