// Lists the environment variables of published content by name; adds, changes and deletes them. Servers never return
// values.
import path from 'node:path';
import { l10n, ThemeIcon, window, workspace, type QuickInputButton, type QuickPickItem } from 'vscode';
import { unlessNotFound } from '../publish/directories/copied-records.ts';
import { refuseLink } from '../publish/directories/ignore-file.ts';
import { attempt } from '../ui/attempt.ts';
import { confirm, unlinked } from '../ui/messages.ts';
import { hostOf } from '../ui/texts.ts';
import type { Command, CommandParts } from './command.ts';
import { signedIn, type Published } from './content-of.ts';
import { PUBLISHED_NODE } from './when.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

interface VariableItem extends QuickPickItem {
  readonly does: 'add' | 'save' | 'edit';
}

export const manageVariables: Command = {
  title: 'Manage Variables',
  menus: [{ in: 'view/item/context', when: PUBLISHED_NODE, group: '4_run@0' }],
  async run(parts, argument) {
    const found = await signedIn(parts, argument);
    if (found) await show(parts, found);
  },
};

/** Shown again after each change, until it is closed. */
async function show(parts: CommandParts, found: Published): Promise<void> {
  const { record } = found;
  const names = await parts.history.variables(record);
  const remove: QuickInputButton = { iconPath: new ThemeIcon('trash'), tooltip: l10n.t('Delete') };
  const pick = window.createQuickPick<VariableItem>();
  Object.assign(pick, {
    title: l10n.t('Variables of {0} on {1}', record.name, hostOf(record.server)),
    placeholder: l10n.t('Select a variable to give it another value'),
    items: [
      { label: l10n.t('$(add) Add a variable…'), alwaysShow: true, does: 'add' },
      ...(names.length > 0
        ? [{ label: l10n.t('$(save) Save the names to .env.example'), does: 'save' }]
        : []),
      ...names.map((label) => ({ label, does: 'edit', buttons: [remove] })),
    ],
  });
  const { promise, resolve } = Promise.withResolvers<(() => Promise<unknown>) | undefined>();
  pick.onDidAccept(() => {
    const [item] = pick.selectedItems;
    if (item?.does === 'add') resolve(() => add(parts, found, names));
    else if (item?.does === 'save') resolve(() => saveNames(parts, found, names));
    else resolve(item && (() => change(parts, found, item.label)));
  });
  pick.onDidTriggerItemButton(({ item }) => resolve(() => removeVariable(parts, found, item.label)));
  pick.onDidHide(() => resolve(undefined));
  pick.show();
  const act = await promise;
  pick.dispose();
  if (act === undefined) return;
  await attempt(act);
  await show(parts, found);
}

async function add(parts: CommandParts, found: Published, names: readonly string[]): Promise<void> {
  const name = await window.showInputBox({
    prompt: l10n.t('Name of the variable'),
    validateInput: (text) => {
      if (!NAME.test(text)) return l10n.t('Use letters, digits and underscores; no digit first.');
      return names.includes(text) ? l10n.t('{0} is set already.', text) : undefined;
    },
  });
  if (name !== undefined) await change(parts, found, name);
}

async function change({ history }: CommandParts, { record }: Published, name: string): Promise<void> {
  const value = await window.showInputBox({
    prompt: unlinked(
      l10n.t('Value of {0}. It is sent to {1} only, and not shown again.', name, hostOf(record.server)),
    ),
    password: true,
    ignoreFocusOut: true,
  });
  if (value !== undefined) await history.setVariables(record, [{ name, value }]);
}

async function removeVariable({ history }: CommandParts, { record }: Published, name: string): Promise<void> {
  const question = l10n.t('Delete the variable {0} of {1}?', name, record.name);
  const detail = l10n.t('Its value cannot be read back from the server.');
  if (await confirm(question, l10n.t('Delete'), detail))
    await history.setVariables(record, [{ name, value: null }]);
}

/** A template to commit: names without values. */
async function saveNames(
  { directories }: CommandParts,
  { dir }: Published,
  names: readonly string[],
): Promise<void> {
  const uri = directories.uriOf(path.join(dir, '.env.example'));
  await refuseLink(workspace.fs, uri);
  const before = new TextDecoder().decode(await workspace.fs.readFile(uri).then(undefined, unlessNotFound));
  // What the user wrote there stays, such as comments and examples.
  const there = new Set(before.split('\n').map((line) => /^\s*(?:export\s+)?(\w+)\s*=/.exec(line)?.[1]));
  const missing = names.filter((name) => NAME.test(name) && !there.has(name));
  const kept = before === '' || before.endsWith('\n') ? before : `${before}\n`;
  const text = kept + missing.map((name) => `${name}=\n`).join('');
  if (missing.length > 0) await workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  await window.showTextDocument(uri);
}
