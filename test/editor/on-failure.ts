// Says what an editor showed when a test failed: whoever reads the report of a run cannot look at its screen.
import { afterEach } from 'vitest';
import { openEditors } from './editor.ts';

const PARTS = {
  input: '.quick-input-widget',
  dialog: '.monaco-dialog-box',
  notifications: '.notification-list-item',
  tab: '.tab.active',
  status: '.statusbar .left-items',
};
const LONGEST = 500;

afterEach(async ({ task }) => {
  const [error] = task.result?.errors ?? [];
  if (error === undefined) return;
  for (const page of openEditors) {
    const shown = Object.entries(PARTS).map(async ([part, selector]) => {
      const texts = await page.locator(selector).filter({ visible: true }).allInnerTexts();
      return `${part}: ${JSON.stringify(texts).slice(0, LONGEST)}`;
    });
    const parts = await Promise.all(shown).catch((error: unknown) => [String(error)]);
    error.message += `\nThe editor showed\n${parts.join('\n')}`;
  }
});
