import { expect, test } from 'vitest';
import { TEXTS } from '../../texts/languages.ts';
import type { Run } from '../command.ts';
import { render } from './render.ts';

const GUID = 'cccccccc-0000-4000-8000-000000000009';

test('the address of a rendering mentions nobody', async () => {
  const client = {
    getContent: async () => ({ guid: GUID, name: 'sales', title: null }),
    createContentVariant: async () => ({ task_id: 'T', url: 'https://x.example.com/<!channel>?a&b' }),
  };
  const command = { name: 'render', subject: GUID, options: {}, filters: ['region=North'] };
  const run = { client, command, texts: TEXTS.en } as unknown as Run;
  const { text } = (await (render as { run: (run: Run) => Promise<{ text: string } | null> }).run(run))!;
  expect(text).toContain('https://x.example.com/%3C!channel%3E?a&amp;b');
  expect(text).not.toContain('<!channel>');
});
