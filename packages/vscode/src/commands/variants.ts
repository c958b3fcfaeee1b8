// Lists the variants of a published document; renders, opens and deletes them, and creates new ones with other values.
import { findKind, type ContentVariant } from '@pressroom/api/contract';
import { l10n, ProgressLocation, window, type QuickPickItem } from 'vscode';
import { confirm, showErrorMessage, showInformationMessage, withProgress } from '../ui/messages.ts';
import { openPage } from '../ui/open-page.ts';
import { valuesText } from '../ui/parameter-text.ts';
import { agoText, hostOf } from '../ui/texts.ts';
import type { Command, CommandParts } from './command.ts';
import { signedIn, type Published } from './content-of.ts';
import { askValues } from './parameter-form.ts';
import { DOCUMENT_NODE } from './when.ts';

type About = Published & { readonly parts: CommandParts };
interface ListItem extends QuickPickItem {
  /** Undefined for a new one. */
  readonly variant?: ContentVariant;
}
interface ActionItem extends QuickPickItem {
  readonly act: () => Promise<void>;
}

export const variants: Command = {
  title: 'Show Variants',
  menus: [{ in: 'view/item/context', when: DOCUMENT_NODE, group: '4_run@7' }],
  async run(parts, argument) {
    const found = await signedIn(parts, argument);
    if (found === undefined) return;
    const { record } = found;
    if (findKind(record.app_mode)?.engine !== 'document') {
      void showInformationMessage(l10n.t('{0} is not rendered: only documents have variants.', record.name));
      return;
    }
    await show({ ...found, parts });
  },
};

async function show(about: About): Promise<void> {
  const { record, parts } = about;
  const { variants: ofContent } = parts.history;
  const [parameters, all] = await Promise.all([ofContent.parameters(record), ofContent.list(record)]);
  const add: ListItem = { label: l10n.t('$(add) Render with other values…'), alwaysShow: true };
  const title = l10n.t('Variants of {0} on {1}', record.name, hostOf(record.server));
  const picked = await window.showQuickPick([...(parameters.length > 0 ? [add] : []), ...all.map(rowOf)], {
    title,
    placeHolder:
      parameters.length > 0
        ? l10n.t('Select a variant to open, render or change it')
        : l10n.t('This document has no parameters. Declare some in its front matter, and publish it again.'),
    matchOnDescription: true,
  });
  if (picked === undefined) return;
  if (picked.variant !== undefined) return actOn(about, picked.variant, parameters.length > 0);
  const wanted = await askValues({ title: record.name, parameters, values: {}, isChange: false });
  if (wanted === undefined) return;
  const made = await ofContent.create(record, wanted);
  await follow(about, made, made.task_id);
}

function rowOf(variant: ContentVariant): ListItem {
  const { values, rendered_time, schedule, is_default, visibility } = variant;
  const state = [
    rendered_time === null
      ? l10n.t('not rendered yet')
      : l10n.t('rendered {0}', agoText(rendered_time, Date.now())),
    ...(schedule === null ? [] : [`${schedule.cron} (${schedule.timezone})`]),
    ...(is_default ? [] : [visibility === 'public' ? l10n.t('all viewers') : l10n.t('private')]),
  ];
  return { label: nameOf(variant), description: valuesText(values), detail: state.join(' · '), variant };
}

function nameOf({ name, is_default }: ContentVariant): string {
  if (is_default) return l10n.t('Default');
  return name === '' ? l10n.t('Own values') : name;
}

async function actOn(about: About, variant: ContentVariant, hasParameters: boolean): Promise<void> {
  const { record, parts } = about;
  const { variants: ofContent } = parts.history;
  const { key } = variant;
  const actions: ActionItem[] = [
    {
      label: l10n.t('$(play) Render now'),
      act: async () => follow(about, variant, await ofContent.render(record, key)),
    },
    { label: l10n.t('$(history) Renderings'), act: () => showRenderings(about, variant) },
  ];
  if (variant.rendered_time !== null)
    actions.unshift({
      label: l10n.t('$(link-external) Open the rendering'),
      act: async () => openPage(variant.url),
    });
  if (!variant.is_default && hasParameters)
    actions.push({ label: l10n.t('$(edit) Change its values…'), act: () => change(about, variant) });
  if (!variant.is_default)
    actions.push({ label: l10n.t('$(trash) Delete'), act: () => remove(about, variant) });
  const picked = await window.showQuickPick(actions, {
    title: `${record.name}: ${nameOf(variant)}`,
    placeHolder: valuesText(variant.values),
  });
  await picked?.act();
}

async function change(about: About, variant: ContentVariant): Promise<void> {
  const { record, parts } = about;
  const { variants: ofContent } = parts.history;
  const parameters = await ofContent.parameters(record);
  const title = `${record.name}: ${nameOf(variant)}`;
  const wanted = await askValues({ title, parameters, values: variant.values, isChange: true });
  if (wanted === undefined) return;
  const changed = await ofContent.change(record, variant.key, wanted.values);
  await follow(about, changed, changed.task_id);
}

async function remove({ record, parts }: About, variant: ContentVariant): Promise<void> {
  const question = l10n.t('Delete the variant {0} of {1}?', nameOf(variant), record.name);
  const detail = l10n.t('Its renderings and its schedule are deleted for everybody.');
  if (!(await confirm(question, l10n.t('Delete'), detail))) return;
  await parts.history.variants.remove(record, variant.key);
  void showInformationMessage(l10n.t('The variant {0} was deleted.', nameOf(variant)));
}

/** Enter opens the page of the rendering shown. */
async function showRenderings({ record, parts }: About, variant: ContentVariant): Promise<void> {
  const all = await parts.history.variants.renderings(record, variant.key);
  const rows = all.map((one) => ({
    label: new Date(one.created_time).toLocaleString(),
    description: [valuesText(one.values), ...(one.active ? [l10n.t('shown')] : [])]
      .filter((part) => part !== '')
      .join(' · '),
    detail: l10n.t('Bundle {0}', one.bundle_id),
    isShown: one.active,
  }));
  const picked = await window.showQuickPick(rows, {
    title: l10n.t('Renderings of {0}: {1}', record.name, nameOf(variant)),
    placeHolder: rows.length === 0 ? l10n.t('not rendered yet') : '',
  });
  if (picked?.isShown) openPage(variant.url);
}

/** Shows the task's output live, then the address of the page. */
async function follow({ record, parts }: About, variant: ContentVariant, task: string | null): Promise<void> {
  const name = `${record.name}: ${nameOf(variant)}`;
  const title = l10n.t('Rendering {0}', name);
  const line = (text: string) => parts.log.line(`[${record.name}] ${text}`);
  const why =
    task === null
      ? null
      : await withProgress({ location: ProgressLocation.Notification, title }, () =>
          parts.history.follow(record, task, line),
        );
  if (why === null) {
    const open = l10n.t('Open');
    const pressed = await showInformationMessage(l10n.t('{0} was rendered.', name), open);
    if (pressed === open) openPage(variant.url);
    return;
  }
  const log = l10n.t('Show Log');
  const pressed = await showErrorMessage(l10n.t('Could not render {0}: {1}', name, why), log);
  if (pressed === log) parts.log.show();
}
