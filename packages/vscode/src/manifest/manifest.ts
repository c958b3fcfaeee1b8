// The extension's package.json as data: what VS Code reads before it runs code of the extension.
import { COMMANDS } from '../commands/table.ts';
import { FOLDER_OPEN } from '../commands/when.ts';
import { TOOLS } from '../tools/table.ts';
import type { Tool } from '../tools/tool.ts';

const PREFIX = 'pressroom.';
/** Set if the editor runs in a browser. */
const IN_BROWSER = 'pressroom.inBrowser';
const commands = Object.entries(COMMANDS);
const tools = Object.entries(TOOLS);

/** All texts of the manifest in English; translations have the same keys. */
export const TEXTS = {
  displayName: 'Pressroom',
  description:
    'Publish data-science content to a content server with one click, then compare it, roll it back and read its logs.',
  'view.deployments': 'Deployments',
  'view.files': 'Files',
  'welcome.none':
    'Open a folder with a report, an application or a page to publish it.\n[Open Folder](command:vscode.openFolder)',
  'welcome.web':
    'Open a folder to publish it. Sign in to follow, roll back and set variables of what is published already.\n[Sign In](command:pressroom.signIn)',
  'welcome.files':
    'Select content in the Deployments view to see which files are included, and why others are excluded.',
  'setting.defaultServer': 'Address of the server that is suggested when you publish for the first time.',
  'setting.openAfterPublish':
    'Open content in the browser once it is live. The editor may ask first whether to open the site.',
  'setting.showLog': 'When a publish shows the output channel.',
  'setting.showLog.always': 'When it starts.',
  'setting.showLog.onFailure': 'When it fails, or its outcome is unknown.',
  'setting.showLog.never': 'Only when you select Show Log.',
  'setting.confirmBeforePublish':
    'Targets for which the editor asks before it publishes or rolls back: names of targets, or addresses of servers. `*` stands for every target. A workspace can add targets to yours.',
  'setting.decorations':
    'Show in the Explorer which files are new, changed or excluded since the content was last published.',
  'setting.exclude':
    'Patterns (gitignore syntax) of files that are never published, in addition to .pressroomignore files.',
  'trust.untrusted':
    'In Restricted Mode your API keys are not used: publishing, history and rollback require a trusted workspace. You can still preview the bundle.',
  'auth.label': 'Pressroom',
  'task.folder': 'Path of the content in the workspace folder. Defaults to the workspace folder itself.',
  'walkthrough.title': 'Get Started with Pressroom',
  'walkthrough.description': 'Publish a folder in three steps.',
  'walkthrough.signIn': 'Sign in to a server',
  'walkthrough.signIn.picture': 'A window with a key.',
  'walkthrough.signIn.text':
    'Your API key is stored as a secret on this machine and sent to its own server only.\n[Sign In](command:pressroom.signIn)',
  'walkthrough.files': 'Preview the bundle',
  'walkthrough.files.picture': 'A list of files; two of three are ticked.',
  'walkthrough.files.text':
    'See every file with its size, and why other files are excluded.\n[Preview Bundle](command:pressroom.showFiles)',
  'walkthrough.publish': 'Publish',
  'walkthrough.publish.picture': 'A file goes to a page with a chart.',
  'walkthrough.publish.text':
    'The first time, you enter the server and a key and confirm the content type. After that, publishing takes one click.\n[Publish](command:pressroom.publish)',
  'walkthrough.history': 'Roll back when you need to',
  'walkthrough.history.picture': 'Three bundles in a list; an arrow leads from one to the one before.',
  'walkthrough.history.text':
    'Every bundle is kept. Compare it with your files, or make an earlier bundle live again.\n[Show Deployments](command:pressroom.deployments.focus)',
  ...Object.fromEntries(commands.map(([name, { title }]) => [`command.${name}`, title])),
  ...Object.fromEntries(
    tools.flatMap(([name, { title, description }]) => [
      [`tool.${name}`, title],
      [`tool.${name}.description`, description],
    ]),
  ),
} as Readonly<Record<string, string>>;

/** Fields of the repository's package.json that marketplaces show. */
export interface Origin {
  readonly repository?: unknown;
  readonly bugs?: unknown;
  readonly homepage?: unknown;
}

/** @param version of the extension */
export function extensionManifest(version: string, origin: Origin = {}) {
  return {
    name: 'pressroom',
    publisher: 'pressroom',
    version,
    displayName: '%displayName%',
    description: '%description%',
    license: 'MIT',
    // Addresses of the sources and the issue tracker, if the repository's package.json has them.
    ...origin,
    pricing: 'Free',
    qna: false,
    categories: ['Data Science', 'Notebooks', 'Other'],
    keywords: [
      'publish',
      'deploy',
      'R Markdown',
      'Shiny',
      'Jupyter',
      'Plumber',
      'FastAPI',
      'Streamlit',
      'Dash',
      'rollback',
    ],
    icon: 'media/icon.png',
    galleryBanner: { color: '#1f3a5f', theme: 'dark' },
    engines: { vscode: '^1.101.0' },
    files: ['dist', 'media', 'l10n', 'package.nls*.json', 'README.md', 'CHANGELOG.md', 'LICENSE'],
    main: './dist/extension.js',
    // Loads the same code, with replacements for Node.js modules.
    browser: './dist/web.js',
    l10n: './l10n',
    // Runs where the workspace is, for its files and network. Editors without Node.js run it in the browser.
    extensionKind: ['workspace'],
    // Of the walkthrough: whoever is signed in sees that step completed.
    activationEvents: ['workspaceContains:**/.pressroom/deployments/*.toml', 'onUri', 'onWalkthrough:start'],
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
        {
          view: 'pressroom.deployments',
          contents: '%welcome.none%',
          when: `workspaceFolderCount == 0 && !${IN_BROWSER}`,
        },
        { view: 'pressroom.deployments', contents: '%welcome.web%', when: IN_BROWSER },
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
      languageModelTools: tools.map(([name, tool]) => languageModelTool(name, tool)),
      walkthroughs: [walkthrough()],
    },
  };
}

function menus(): Record<string, object[]> {
  const all: Record<string, object[]> = {
    commandPalette: commands.flatMap(([name, { palette = FOLDER_OPEN }]) =>
      palette === true ? [] : [{ command: PREFIX + name, when: String(palette) }],
    ),
  };
  for (const [name, spec] of commands) {
    for (const { in: menu, when, group } of spec.menus ?? []) {
      (all[menu] ??= []).push({ command: PREFIX + name, when, group });
    }
  }
  return all;
}

function languageModelTool(name: string, { icon, model, input = {}, required }: Tool) {
  return {
    name: `pressroom_${name}`,
    displayName: `%tool.${name}%`,
    toolReferenceName: name,
    canBeReferencedInPrompt: true,
    icon,
    userDescription: `%tool.${name}.description%`,
    modelDescription: model,
    inputSchema: {
      type: 'object',
      properties: {
        folder: {
          type: 'string',
          description: 'Path of the folder, absolute or relative to the first workspace folder.',
        },
        ...input,
      },
      ...(required !== undefined && { required }),
    },
  };
}

function settings() {
  return {
    // A workspace must not name a server: machine settings belong to the user alone.
    'pressroom.defaultServer': {
      type: 'string',
      default: '',
      scope: 'machine',
      markdownDescription: '%setting.defaultServer%',
    },
    // The editor asks before it opens an untrusted site: one click would become two.
    'pressroom.openAfterPublish': {
      type: 'boolean',
      default: false,
      scope: 'window',
      description: '%setting.openAfterPublish%',
    },
    'pressroom.showLog': {
      type: 'string',
      enum: ['always', 'onFailure', 'never'],
      enumDescriptions: ['always', 'onFailure', 'never'].map((when) => `%setting.showLog.${when}%`),
      default: 'always',
      scope: 'window',
      description: '%setting.showLog%',
    },
    'pressroom.confirmBeforePublish': {
      type: 'array',
      items: { type: 'string' },
      default: [],
      scope: 'resource',
      markdownDescription: '%setting.confirmBeforePublish%',
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
  const step = (id: string, picture: string, ...events: string[]) => ({
    id,
    title: `%walkthrough.${id}%`,
    description: `%walkthrough.${id}.text%`,
    media: { svg: `media/step-${picture}.svg`, altText: `%walkthrough.${id}.picture%` },
    // Completed by events, not by commands that may have been cancelled.
    completionEvents: events,
  });
  return {
    id: 'start',
    title: '%walkthrough.title%',
    description: '%walkthrough.description%',
    steps: [
      step('signIn', 'sign-in', 'onContext:pressroom.signedIn'),
      step('files', 'files', 'onContext:pressroom.previewed'),
      step('publish', 'publish', 'onContext:pressroom.published'),
      step('history', 'history', 'onContext:pressroom.compared'),
    ],
  };
}
