// Reports what the editor showed when a test failed, since nobody can look at its screen afterwards.
import { afterEach } from 'vitest';
import { type Editor, openEditors } from './editor.ts';

const PARTS = {
  input: '.quick-input-widget',
  dialog: '.monaco-dialog-box',
  notifications: '.notification-list-item',
  tab: '.tab.active',
  rows: '.pane-body .monaco-list-row',
  status: '.statusbar .left-items',
};
const MAX_LENGTH = 500;
const SHOWN = 20;

afterEach(async ({ task }) => {
  const [error] = task.result?.errors ?? [];
  if (error === undefined) return;
  for (const editor of openEditors) {
    const parts = await describe(editor).catch((error: unknown) => [String(error)]);
    const shown = `\nThe editor showed\n${parts.join('\n')}`;
    error.message += shown;
    // Part of the JSON report.
    if (error.stack) error.stack += shown;
  }
});

async function describe({ page, inHost, log }: Editor): Promise<readonly string[]> {
  const shown = await Promise.all(
    Object.entries(PARTS).map(([part, selector]) => textOf(page, part, selector)),
  );
  const folders = await inHost((vs) => vs.workspace.workspaceFolders?.map(({ uri }) => uri.toString()));
  // Includes hidden notifications.
  await inHost((vs) => vs.commands.executeCommand('notifications.showList'));
  const all = await textOf(page, 'all notifications', '.notifications-center .notification-list-item');
  const errors = (await page.consoleMessages())
    .filter((message) => message.type() === 'error')
    .map((message) => message.text().slice(0, MAX_LENGTH));
  const lines = (await log()).trimEnd().split('\n').slice(-SHOWN);
  return [
    ...shown,
    all,
    `folders: ${JSON.stringify(folders)}`,
    'log of the extension:',
    ...lines,
    'errors:',
    ...errors.slice(-SHOWN),
  ];
}

async function textOf(page: Editor['page'], part: string, selector: string): Promise<string> {
  const texts = await page.locator(selector).filter({ visible: true }).allInnerTexts();
  return `${part}: ${JSON.stringify(texts).slice(0, MAX_LENGTH)}`;
}
