// Covers publishing in a real editor: three inputs the first time, then one click from any place.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { startWork, type Work } from './work.ts';

let work: Work;
beforeAll(async () => {
  // The editor lists tasks only once both of its extension hosts are there.
  work = await startWork({ extensions: inject('extensions'), worker: true });
});
afterAll(() => work[Symbol.asyncDispose]());
afterEach(async ({ task }) => {
  await work.editor.screenshot(`first-after-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

const bundles = async () => {
  const all = (await work.person.call('GET', '/v1/content')).body as { guid: string; name: string }[];
  const content = all.find(({ name }) => name === 'static-page')!;
  return (await work.person.call('GET', `/v1/content/${content.guid}/bundles`)).body as {
    id: string;
    active: boolean;
  }[];
};

test('the extension stays inactive in an unpublished folder', async () => {
  expect(await work.editor.inHost((vs) => vs.extensions.getExtension('pressroom.pressroom')!.isActive)).toBe(
    false,
  );
});

test('publishes in three inputs; a rejected answer keeps the others', async () => {
  const { editor, server, person } = work;
  const { page } = editor;
  await work.command('pressroom.publish');
  await page.getByText('(1/3)').waitFor();
  await work.respond('http://127.0.0.1:9');
  await page.getByText('the connection was refused').first().waitFor();
  await editor.screenshot('first-1-refused');
  await work.respond(server.url);
  await page.getByText('(2/3)').waitFor();
  await work.respond('wrong');
  await page.getByText('Sign in again with a valid API key').first().waitFor();
  await editor.screenshot('first-2-wrong-key');
  // Escape keeps the server, which is the default the next time.
  await page.keyboard.press('Escape');
  await work.command('pressroom.publish');
  await page.getByText('(1/3)').waitFor();
  await work.respond(null);
  await page.getByText('(2/3)').waitFor();
  await work.respond(person.key);
  await page.getByText('(3/3)').waitFor();
  await page.getByText('index.html is a page that is served as it is.').waitFor();
  await editor.screenshot('first-3-confirm');
  await work.respond(null);
  await work.toast('static-page is live');
  await expect.poll(() => editor.log()).toContain('Building static content...');
  expect(await bundles()).toHaveLength(1);
});

const PLACES: [string, () => Promise<unknown>][] = [
  ['the status bar', () => work.editor.page.locator('.statusbar-item', { hasText: 'Publish' }).click()],
  [
    'a key',
    async () => {
      await work.editor.page.keyboard.press('Control+K');
      await work.editor.page.keyboard.press('Shift+P');
    },
  ],
  [
    "the editor's title",
    async () => {
      await work.editor.inHost(
        async (vs, file) => {
          await vs.window.showTextDocument(vs.Uri.file(file));
        },
        join(work.folder, 'index.html'),
      );
      await work.editor.page
        .locator('.editor-actions')
        .getByRole('button', { name: 'Publish Content' })
        .first()
        .click();
    },
  ],
  [
    'the explorer',
    async () => {
      const { page } = work.editor;
      await page.locator('.explorer-folders-view').getByText('data.csv').click({ button: 'right' });
      await page.locator('.monaco-menu').getByText('Publish Content', { exact: true }).waitFor();
      // The last menu entry.
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
    },
  ],
  [
    'the palette',
    async () => {
      const { page } = work.editor;
      await page.keyboard.press('F1');
      await page.locator('.quick-input-widget input').first().fill('>Pressroom: Publish Content');
      await page
        .locator('.quick-input-list .monaco-list-row[aria-label^="Pressroom: Publish Content"]')
        .click();
    },
  ],
  [
    'the tree',
    async () => {
      const { page } = work.editor;
      await work.editor.inHost((vs) => void vs.commands.executeCommand('pressroom.deployments.focus'));
      const row = page.locator('.pane-body .monaco-list-row[aria-label*="static-page"]').first();
      await work.pressIn(row, /^Publish Content( \(|$)/);
    },
  ],
];

test.each(PLACES)('publishes with one click from %s without a prompt', async (place, click) => {
  const before = (await bundles()).length;
  await click();
  await work.toast('static-page is live');
  expect(await bundles()).toHaveLength(before + 1);
  await work.editor.screenshot(`click-${place.replaceAll(/\W+/g, '-')}`);
});

test('a task publishes and exits with 0', async () => {
  const code = await work.editor.inHost(async (vs) => {
    const [task] = await vs.tasks.fetchTasks({ type: 'pressroom' });
    const ended = new Promise((resolve) => {
      const subscription = vs.tasks.onDidEndTaskProcess((event) => {
        subscription.dispose();
        resolve(event.exitCode);
      });
    });
    await vs.tasks.executeTask(task!);
    return ended;
  });
  expect(code).toBe(0);
});

test('a language model publishes again after confirmation, and gets the outcome', async () => {
  const invoked = work.editor.inHost(async (vs) => {
    const token = new vs.CancellationTokenSource().token;
    const result = await vs.lm.invokeTool(
      'pressroom_publish',
      { input: {}, toolInvocationToken: undefined },
      token,
    );
    return result.content.map((part) => (part as { value: string }).value).join('');
  });
  const dialog = work.editor.page.locator('.monaco-dialog-box');
  await dialog.getByText('4 files').waitFor();
  await work.editor.screenshot('tool');
  await dialog.getByRole('button', { name: 'Yes' }).click();
  expect(await invoked).toMatch(/^Published\. It is live at http/);
});

/** Invokes a tool as a model does, and confirms. Returns the text for the person and the one for the model. */
async function call(name: string, input: object): Promise<[string, string]> {
  const invoked = work.editor.inHost(
    async (vs, tool, given) => {
      const token = new vs.CancellationTokenSource().token;
      const result = await vs.lm.invokeTool(tool, { input: given, toolInvocationToken: undefined }, token);
      return result.content.map((part) => (part as { value: string }).value).join('');
    },
    `pressroom_${name}`,
    input,
  );
  const dialog = work.editor.page.locator('.monaco-dialog-box');
  await dialog.getByRole('button', { name: 'Yes' }).waitFor();
  const told = (await dialog.textContent()) ?? '';
  await work.editor.screenshot(`tool-${name}`);
  await dialog.getByRole('button', { name: 'Yes' }).click();
  return [told, await invoked];
}

test('a language model inspects, sets variables and rolls back with confirmation, and reads the log', async () => {
  const [, seen] = await call('inspect', {});
  expect(JSON.parse(seen)).toMatchObject({ types: [{ type: 'static' }], targets: [{ active: true }] });
  const [asked, changed] = await call('set_variables', { variables: { TOKEN: 'hunter2', 'no name': 'x' } });
  expect(asked).toContain('Set: TOKEN');
  expect(asked + changed).not.toContain('hunter2');
  expect(changed).toContain('Changed: TOKEN.');
  const before = (await bundles()).find((bundle) => bundle.active)!.id;
  const [which] = await call('roll_back', {});
  const now = (await bundles()).find((bundle) => bundle.active)!.id;
  expect(Number(now)).toBe(Number(before) - 1);
  expect(which).toContain(`Bundle ${now} is made live.`);
  const [, log] = await call('read_failure', {});
  expect(log).toMatch(/^Published\. It is live at http/);
});

test('a language model publishes a new folder, but not to a server it names itself', async () => {
  const folder = join(work.folder, 'second');
  await mkdir(folder);
  await writeFile(join(folder, 'index.html'), '<h1>Second</h1>');
  const [, refused] = await call('publish', { folder: 'second', server: 'https://evil.example.com' });
  expect(refused).toMatch(/^Nothing was published/);
  const [asked, done] = await call('publish', { folder: 'second', title: 'The second' });
  expect(asked).toContain('New content is created on the server.');
  expect(done).toMatch(/^Published\. It is live at http/);
  const all = (await work.person.call('GET', '/v1/content')).body as { title: string }[];
  expect(all.map(({ title }) => title)).toContain('The second');
  await rm(folder, { recursive: true });
});

test('shows differences, and activates an earlier bundle again', async () => {
  const { editor, folder } = work;
  const { page } = editor;
  await writeFile(join(folder, 'index.html'), '<h1>Changed</h1>\n');
  await writeFile(join(folder, 'new.txt'), 'new\n');
  await work.command('pressroom.compare', folder);
  await page.locator('.multiDiffEditor').first().waitFor();
  await page
    .getByText(/bundle \d+ ↔ workspace \(2 files\)/)
    .first()
    .waitFor();
  await editor.screenshot('compare');
  const active = (await bundles()).find((bundle) => bundle.active)!.id;
  await work.command('pressroom.rollbackLast', folder);
  await work.toast('static-page is live');
  expect((await bundles()).find((bundle) => bundle.active)!.id).not.toBe(active);
});

test('trees show deployments with history, and files with the reason for their exclusion', async () => {
  const { editor, folder } = work;
  const { page } = editor;
  await writeFile(join(folder, '.env'), 'SECRET=1\n');
  await work.command('pressroom.deployments.focus');
  const content = page.locator('.monaco-list-row[aria-level="2"]').first();
  await work.expand(page.locator('.monaco-list-row[aria-label*="static-page"]').first(), content);
  await work.expand(content, page.locator('.monaco-list-row[aria-label*="Bundle"]').first());
  await work.command('pressroom.showFiles', folder);
  const row = (name: string) => page.locator('.pane-body .monaco-list-row:visible', { hasText: name });
  await row('.env').getByText('it may hold secrets').waitFor();
  await editor.screenshot('trees');
  await row('data.csv').getByRole('checkbox').click();
  await row('data.csv').getByText('left out by an ignore file').waitFor();
  expect(await readFile(join(folder, '.pressroomignore'), 'utf8')).toBe('/data.csv\n');
  await row('data.csv').getByRole('checkbox').click();
  await row('data.csv').getByText('kB').waitFor();
  expect(await readFile(join(folder, '.pressroomignore'), 'utf8')).toBe('');
});

test('the explorer marks changed, new and excluded files', async () => {
  const { page } = work.editor;
  await work.command('workbench.view.explorer');
  const marks = page.locator('.explorer-folders-view .explorer-item');
  const marked = (text: string) => marks.and(page.locator(`[aria-label*="${text}"]`));
  await marked('index.html • Changed since last published').waitFor();
  await marked('new.txt • New: not published yet').waitFor();
  await marked('.env • Excluded: it may hold secrets').waitFor();
  await work.editor.screenshot('decorations');
  expect(await marked('style.css •').count()).toBe(0);
});
