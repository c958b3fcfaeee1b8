// The extension's package.json as data: what VS Code reads before any code of ours runs.
import { COMMANDS, type CommandSpec } from '../commands/table.ts';

const PREFIX = 'pressroom.';
const commands = Object.entries(COMMANDS) as [string, CommandSpec][];

/** Every text of the manifest in English; translations have the same keys. */
export const TEXTS = {
  displayName: 'Pressroom',
  description:
    'Publish data-science content to a content server with one click, and live with it afterwards.',
  'view.deployments': 'Deployments',
  'view.files': 'Files',
  'welcome.none':
    'Open a folder with a report, an application or a page to publish it.\n[Open Folder](command:vscode.openFolder)',
  'welcome.files': 'Choose content above to see what goes in, and why the rest stays out.',
  'setting.defaultServer': 'Address of the server that the first publishing offers.',
  'setting.openAfterPublish': 'Open the content in the browser when it is live.',
  'setting.decorations': 'Mark in the explorer what is published, left out and changed since.',
  'setting.exclude': 'Patterns (gitignore syntax) of what is never published, beside .pressroomignore files.',
  'trust.untrusted':
    'In Restricted Mode nothing is sent with your keys: publishing, history and rollback need trust. Looking at what would be published works.',
  'auth.label': 'Pressroom',
  'task.folder': 'Path of the content within the workspace folder; the folder itself if not given.',
  'tool.name': 'Publish content',
  'tool.description':
    'Publish a folder of the workspace that was published before, after the user has seen what would go in.',
  'walkthrough.title': 'Publish with Pressroom',
  'walkthrough.description': 'From a folder to a live page in three answers.',
  'walkthrough.signIn': 'Sign in to a server',
  'walkthrough.signIn.text':
    'A key stays in the secret store of your machine and only ever goes to its own server.\n[Sign In](command:pressroom.signIn)',
  'walkthrough.files': 'See what goes in',
  'walkthrough.files.text':
    'Every file with its size, and every file that stays out with the reason.\n[Show Files](command:pressroom.showFiles)',
  'walkthrough.publish': 'Publish',
  'walkthrough.publish.text':
    'The first time asks for server, key and what to publish. After that it is one click.\n[Publish](command:pressroom.publish)',
  'walkthrough.history': 'Go back when it matters',
  'walkthrough.history.text':
    'Every bundle is kept: compare it with your files, and make an earlier one live again.\n[Show Deployments](command:pressroom.deployments.focus)',
  ...Object.fromEntries(commands.map(([name, { title }]) => [`command.${name}`, title])),
} as Readonly<Record<string, string>>;

/** @param version of the extension */
export function extensionManifest(version: string) {
  return {
    name: 'pressroom',
    publisher: 'pressroom',
    version,
    displayName: '%displayName%',
    description: '%description%',
    license: 'MIT',
    categories: ['Data Science', 'Notebooks', 'Other'],
    keywords: ['publish', 'deploy', 'R Markdown', 'Shiny', 'Jupyter', 'Plumber', 'FastAPI'],
    icon: 'media/icon.png',
    engines: { vscode: '^1.101.0' },
    files: ['dist', 'media', 'l10n', 'package.nls*.json', 'README.md', 'LICENSE'],
    main: './dist/extension.js',
    l10n: './l10n',
    extensionKind: ['workspace'],
    activationEvents: ['workspaceContains:**/.pressroom/deployments/*.toml', 'onUri'],
    capabilities: {
      untrustedWorkspaces: {
        supported: 'limited',
        description: '%trust.untrusted%',
        restrictedConfigurations: ['pressroom.exclude'],
      },
      virtualWorkspaces: true,
    },
    contributes: {
      commands: commands.map(([name, { icon }]) => ({
        command: PREFIX + name,
        title: `%command.${name}%`,
        category: 'Pressroom',
        ...(icon !== undefined && { icon }),
      })),
      menus: menus(),
      keybindings: commands.flatMap(([name, { keys }]) =>
        keys === undefined ? [] : [{ command: PREFIX + name, ...keys }],
      ),
      viewsContainers: {
        activitybar: [{ id: 'pressroom', title: '%displayName%', icon: 'media/activity.svg' }],
      },
      views: {
        pressroom: [
          { id: 'pressroom.deployments', name: '%view.deployments%', icon: 'media/activity.svg' },
          { id: 'pressroom.files', name: '%view.files%', icon: 'media/activity.svg' },
        ],
      },
      viewsWelcome: [
        { view: 'pressroom.deployments', contents: '%welcome.none%', when: 'workspaceFolderCount == 0' },
        { view: 'pressroom.files', contents: '%welcome.files%' },
      ],
      configuration: { title: '%displayName%', properties: settings() },
      authentication: [{ id: 'pressroom', label: '%auth.label%' }],
      taskDefinitions: [
        {
          type: 'pressroom',
          properties: { folder: { type: 'string', description: '%task.folder%' } },
        },
      ],
      languageModelTools: [
        {
          name: 'pressroom_publish',
          displayName: '%tool.name%',
          toolReferenceName: 'publish',
          canBeReferencedInPrompt: true,
          icon: '$(cloud-upload)',
          userDescription: '%tool.description%',
          modelDescription:
            'Publishes one folder of the workspace to the content server it was published to before, and answers the address and the outcome with the lines that say why it failed. The first publishing of a folder needs a person.',
          inputSchema: {
            type: 'object',
            properties: {
              folder: {
                type: 'string',
                description: 'Path of the folder, absolute or relative to the first workspace folder.',
              },
            },
          },
        },
      ],
      walkthroughs: [walkthrough()],
    },
  };
}

function menus(): Record<string, object[]> {
  const all: Record<string, object[]> = {
    commandPalette: commands.flatMap(([name, { palette }]) =>
      palette === undefined ? [] : [{ command: PREFIX + name, when: palette === false ? 'false' : palette }],
    ),
  };
  for (const [name, spec] of commands) {
    for (const { in: menu, when, group } of spec.menus ?? []) {
      (all[menu] ??= []).push({ command: PREFIX + name, when, group });
    }
  }
  return all;
}

function settings() {
  return {
    // A workspace must not be able to name a server: machine settings are the user's alone.
    'pressroom.defaultServer': {
      type: 'string',
      default: '',
      scope: 'machine',
      markdownDescription: '%setting.defaultServer%',
    },
    'pressroom.openAfterPublish': {
      type: 'boolean',
      default: true,
      scope: 'window',
      description: '%setting.openAfterPublish%',
    },
    'pressroom.decorations': {
      type: 'boolean',
      default: true,
      scope: 'window',
      description: '%setting.decorations%',
    },
    'pressroom.exclude': {
      type: 'array',
      items: { type: 'string' },
      default: [],
      scope: 'resource',
      description: '%setting.exclude%',
    },
  };
}

function walkthrough() {
  const step = (id: string, event: string) => ({
    id,
    title: `%walkthrough.${id}%`,
    description: `%walkthrough.${id}.text%`,
    media: { svg: 'media/walkthrough.svg', altText: '' },
    completionEvents: [event],
  });
  return {
    id: 'start',
    title: '%walkthrough.title%',
    description: '%walkthrough.description%',
    steps: [
      step('signIn', 'onCommand:pressroom.signIn'),
      step('files', 'onCommand:pressroom.showFiles'),
      step('publish', 'onCommand:pressroom.publish'),
      step('history', 'onView:pressroom.deployments'),
    ],
  };
}
