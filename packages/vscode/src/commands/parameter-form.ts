// A form for the parameters of a document, as a list: each row shows a parameter with its value, and opens an input of
// its type.
import type { Parameter, ParameterValue } from '@pressroom/api/contract';
import { l10n, window, type QuickPickItem } from 'vscode';
import type { Values, WantedVariant } from '../store/variants.ts';
import { unlinked } from '../ui/messages.ts';
import { hintOf, isSettable, problemOf, valueText } from '../ui/parameter-text.ts';

interface FormItem extends QuickPickItem {
  readonly does?: 'render' | 'keep';
  readonly parameter?: Parameter;
}

interface FormOptions {
  readonly title: string;
  readonly parameters: readonly Parameter[];
  /** Initial values. */
  readonly values: Values;
  /** Whether the variant exists; its name cannot be changed. */
  readonly isChange: boolean;
}

/** Undefined if cancelled. */
export async function askValues({
  title,
  parameters,
  values: before,
  isChange,
}: FormOptions): Promise<WantedVariant | undefined> {
  // A parameter may be gone since: its value would be refused.
  const values = new Map(
    Object.entries(before).filter(([name]) => parameters.some((one) => one.name === name)),
  );
  for (;;) {
    const picked = await window.showQuickPick(itemsOf(parameters, values, isChange), {
      title,
      placeHolder: l10n.t('Select a parameter to give it another value'),
      ignoreFocusOut: true,
    });
    if (picked === undefined) return undefined;
    if (picked.parameter !== undefined) {
      const typed = await askValue(title, picked.parameter, values.get(picked.parameter.name));
      if (typed !== undefined) set(values, picked.parameter, typed);
      continue;
    }
    const wanted = { values: Object.fromEntries(values) };
    if (picked.does === 'render') return wanted;
    const keep = await askName();
    if (keep !== undefined) return { ...wanted, keep };
  }
}

function itemsOf(
  parameters: readonly Parameter[],
  values: ReadonlyMap<string, ParameterValue>,
  isChange: boolean,
): FormItem[] {
  const ends: FormItem[] = isChange
    ? [{ label: l10n.t('$(play) Save and render'), does: 'render' }]
    : [
        { label: l10n.t('$(play) Render once, for yourself'), does: 'render' },
        { label: l10n.t('$(save) Save as variant…'), does: 'keep' },
      ];
  const rows = parameters.filter(isSettable).map((parameter): FormItem => {
    const value = values.get(parameter.name);
    const detail = parameter.help === null ? {} : { detail: parameter.help };
    return { label: parameter.label, description: valueText(parameter, value), ...detail, parameter };
  });
  return [...ends.map((item) => ({ ...item, alwaysShow: true })), ...rows];
}

/** As text, which the server parses by the parameter's type. */
function set(values: Map<string, ParameterValue>, parameter: Parameter, typed: string | string[]): void {
  const isDefault = typed === '' && (parameter.input !== 'text' || parameter.value === null);
  if (isDefault) values.delete(parameter.name);
  else values.set(parameter.name, typed);
}

/** Undefined if cancelled: the value stays. */
async function askValue(
  title: string,
  parameter: Parameter,
  value: ParameterValue | undefined,
): Promise<string | string[] | undefined> {
  const { label, choices, multiple, input } = parameter;
  const now = [value ?? parameter.value ?? []].flat().map(String);
  const options = { title: `${title}: ${label}`, placeHolder: hintOf(parameter), ignoreFocusOut: true };
  if (choices !== null && multiple) {
    const items = choices.map((one) => ({
      label: one.label,
      value: String(one.value),
      picked: now.includes(String(one.value)),
    }));
    const picked = await window.showQuickPick(items, { ...options, canPickMany: true });
    return picked?.map((one) => one.value);
  }
  if (choices !== null || input === 'checkbox') {
    const all = choices ?? [
      { label: l10n.t('Yes'), value: true },
      { label: l10n.t('No'), value: false },
    ];
    const items = all.map((one) => ({
      label: one.label,
      value: String(one.value),
      ...(now.includes(String(one.value)) && { description: l10n.t('now') }),
    }));
    return (await window.showQuickPick(items, options))?.value;
  }
  return window.showInputBox({
    title: options.title,
    prompt: unlinked(hintOf(parameter)),
    value: now[0] ?? '',
    placeHolder: parameter.expression ?? '',
    ignoreFocusOut: true,
    validateInput: (typed) => problemOf(parameter, typed),
  });
}

async function askName(): Promise<WantedVariant['keep']> {
  const name = await window.showInputBox({
    title: l10n.t('Save as variant'),
    prompt: l10n.t('A name, such as the region'),
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? l10n.t('Enter a name.') : undefined),
  });
  if (name === undefined) return undefined;
  const access = await window.showQuickPick(
    [
      { label: l10n.t('Owner and collaborators'), visibility: 'private' as const },
      { label: l10n.t('All who may view the content'), visibility: 'public' as const },
    ],
    { title: l10n.t('Access'), ignoreFocusOut: true },
  );
  return access && { name: name.trim(), visibility: access.visibility };
}
