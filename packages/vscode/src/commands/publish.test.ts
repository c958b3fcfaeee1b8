// Covers what is published: the command's folder or that of the editor, and from the Files view the one it shows.
import { expect, test, vi } from 'vitest';
import type { CommandParts } from './command.ts';
import { publishDraft } from './publish-draft.ts';
import { publishShown } from './publish-shown.ts';
import { publish } from './publish.ts';

function setup() {
  const published: string[] = [];
  const meantBy = vi.fn(async (argument: unknown) =>
    argument === undefined ? '/in-editor' : String(argument),
  );
  const parts = {
    directories: { meantBy },
    files: { dir: '/shown' },
    publisher: { publish: async (dir: string) => void published.push(dir) },
  } as unknown as CommandParts;
  return { parts, published };
}

test.each([
  ['Publish', publish],
  ['Publish as Draft', publishDraft],
])(
  '%s without an argument publishes the editor’s folder, whatever the Files view shows',
  async (_name, command) => {
    const { parts, published } = setup();
    await command.run(parts);
    await command.run(parts, '/given');
    expect(published).toEqual(['/in-editor', '/given']);
  },
);

test('the button of the Files view publishes what it shows, whichever row has the focus', async () => {
  const { parts, published } = setup();
  await publishShown.run(parts, { kind: 'file', path: 'x' });
  expect(published).toEqual(['/shown']);
});
