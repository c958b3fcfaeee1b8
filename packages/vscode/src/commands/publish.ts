// Publishes a directory to its active target, or to one of the tree; asks three questions the first time.
import { Uri, window } from 'vscode';
import type { Command, CommandParts } from './command.ts';
import { publishedNode } from './content-of.ts';
import { CONTENT, FILE, FOLDER_OPEN, NODE } from './when.ts';

export const publish: Command = {
  title: 'Publish Content',
  icon: '$(rocket)',
  menus: [
    {
      in: 'editor/title',
      when: `${FILE} && ${CONTENT} && !isInDiffEditor`,
      group: 'navigation@90',
    },
    { in: 'explorer/context', when: FILE, group: '7_pressroom@1' },
    { in: 'scm/title', when: FOLDER_OPEN, group: 'navigation@90' },
    { in: 'view/item/context', when: `${NODE} /^directory\\.(published|unpublished)/`, group: 'inline@2' },
    { in: 'view/item/context', when: `${NODE} /^content/`, group: 'inline@2' },
    {
      in: 'view/item/context',
      when: `${NODE} /^(directory\\.(published|unpublished)|content)/`,
      group: '1_publish@1',
    },
  ],
  // A chord: Ctrl+Alt is AltGr on Windows, which types characters.
  keys: { key: 'ctrl+k shift+p', mac: 'cmd+k shift+p', when: FOLDER_OPEN },
  async run({ directories, publisher }, argument) {
    const node = publishedNode(argument);
    const dir = node?.dir ?? (await directories.meantBy(argument));
    if (dir === undefined) return;
    await publisher.publish(dir, { to: node?.record, file: fileOf(directories, argument) });
  },
};

/** The file of the command, or the open one: content that starts from it is preferred. */
export function fileOf({ pathOf }: CommandParts['directories'], argument: unknown): string | undefined {
  if (argument instanceof Uri) return pathOf(argument);
  if (argument !== undefined) return undefined;
  const open = window.activeTextEditor?.document.uri ?? window.activeNotebookEditor?.notebook.uri;
  return open && pathOf(open);
}
