// Every command with where it is offered: the manifest and the registration are both made from this table.

export interface CommandSpec {
  /** Title by language; English is the key of the others. */
  readonly title: string;
  readonly icon?: string;
  /** When the palette offers it; false for never. */
  readonly palette?: string | false;
  readonly menus?: readonly { readonly in: string; readonly when: string; readonly group: string }[];
  readonly keys?: { readonly key: string; readonly mac: string; readonly when?: string };
}

/** A file of a workspace, wherever it is, and not an earlier version of one. */
const FILE = 'isFileSystemResource && resourceScheme != git';
/** Files that content starts from; known without running anything of ours. */
const CONTENT = 'resourceExtname =~ /^\\.(r|rmd|py|ipynb|html?)$/i';
/** Variables can be read from files of this name; not from templates, whose values are none. */
export const VARIABLES_FILE = /^\.(env|Renviron)(?!.*\.(example|sample|template|dist)$)(\..+)?$/;
const NODE = 'view == pressroom.deployments && viewItem =~';

export const COMMANDS = {
  publish: {
    title: 'Publish',
    icon: '$(cloud-upload)',
    palette: 'workspaceFolderCount > 0',
    menus: [
      {
        in: 'editor/title',
        when: `${FILE} && ${CONTENT} && !isInDiffEditor`,
        group: 'navigation@90',
      },
      { in: 'explorer/context', when: FILE, group: '7_pressroom@1' },
      { in: 'scm/title', when: 'workspaceFolderCount > 0', group: 'navigation@90' },
      { in: 'view/item/context', when: `${NODE} /^directory\\.(published|unpublished)/`, group: 'inline@2' },
      { in: 'view/title', when: 'view == pressroom.files', group: 'navigation@1' },
    ],
    keys: { key: 'ctrl+alt+u', mac: 'cmd+alt+u', when: 'workspaceFolderCount > 0' },
  },
  publishAsNew: {
    title: 'Publish as New Content',
    palette: 'workspaceFolderCount > 0',
    menus: [{ in: 'view/item/context', when: `${NODE} /^directory\\.published/`, group: '2_publish@2' }],
  },
  chooseType: {
    title: 'Choose What to Publish',
    palette: 'workspaceFolderCount > 0',
    menus: [
      {
        in: 'view/item/context',
        when: `${NODE} /^directory\\.(published|unpublished)/`,
        group: '2_publish@1',
      },
    ],
  },
  cancel: {
    title: 'Cancel Publishing',
    icon: '$(debug-stop)',
    palette: 'pressroom.running',
    menus: [{ in: 'view/item/context', when: `${NODE} /^directory\\.running/`, group: 'inline@1' }],
  },
  lookAgain: {
    title: 'Look Again How the Publishing Ended',
    icon: '$(sync)',
    palette: false,
    menus: [{ in: 'view/item/context', when: `${NODE} /\\.unknown$/`, group: 'inline@1' }],
  },
  open: {
    title: 'Open Published Content',
    icon: '$(link-external)',
    palette: 'workspaceFolderCount > 0',
    menus: [
      { in: 'view/item/context', when: `${NODE} /^(directory\\.published|content)/`, group: 'inline@3' },
    ],
  },
  compare: {
    title: 'Compare with the Active Bundle',
    icon: '$(diff-multiple)',
    palette: 'workspaceFolderCount > 0',
    menus: [
      { in: 'view/item/context', when: `${NODE} /^(directory\\.published|content)/`, group: '3_history@1' },
    ],
  },
  compareBundle: {
    title: 'Compare with This Bundle',
    icon: '$(diff-multiple)',
    palette: false,
    menus: [{ in: 'view/item/context', when: `${NODE} /^bundle/`, group: 'inline@1' }],
  },
  rollback: {
    title: 'Roll Back to This Bundle',
    icon: '$(history)',
    palette: false,
    menus: [{ in: 'view/item/context', when: `${NODE} /^bundle\\.earlier/`, group: 'inline@2' }],
  },
  rollbackLast: {
    title: 'Roll Back to the Bundle Before',
    palette: 'workspaceFolderCount > 0',
    menus: [
      { in: 'view/item/context', when: `${NODE} /^(directory\\.published|content)/`, group: '3_history@2' },
    ],
  },
  setVariables: {
    title: 'Set Variables from .env…',
    palette: 'workspaceFolderCount > 0',
    menus: [
      { in: 'view/item/context', when: `${NODE} /^(directory\\.published|content)/`, group: '4_run@1' },
      {
        in: 'explorer/context',
        when: `${FILE} && !explorerResourceIsFolder && resourceFilename =~ ${VARIABLES_FILE}`,
        group: '7_pressroom@2',
      },
    ],
  },
  showProcessLog: {
    title: 'Show What Its Processes Printed',
    palette: 'workspaceFolderCount > 0',
    menus: [
      { in: 'view/item/context', when: `${NODE} /^(directory\\.published|content)/`, group: '4_run@2' },
    ],
  },
  showFiles: {
    title: 'Show What Goes In',
    icon: '$(checklist)',
    palette: 'workspaceFolderCount > 0',
    menus: [
      { in: 'view/item/context', when: `${NODE} /^directory\\.(published|unpublished)/`, group: 'inline@1' },
    ],
  },
  showLog: { title: 'Show the Publishing Log', icon: '$(output)' },
  refresh: {
    title: 'Refresh',
    icon: '$(refresh)',
    palette: false,
    menus: [
      { in: 'view/title', when: 'view == pressroom.deployments', group: 'navigation@9' },
      { in: 'view/title', when: 'view == pressroom.files', group: 'navigation@9' },
    ],
  },
  signIn: { title: 'Sign In to a Server' },
  signOut: { title: 'Sign Out of a Server' },
} as const satisfies Record<string, CommandSpec>;

export type CommandName = keyof typeof COMMANDS;
