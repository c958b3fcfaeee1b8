// Sets environment variables of a folder's active target.
import path from 'node:path';
import { l10n } from 'vscode';
import { activeTarget } from '../store/targets.ts';
import { nothing, targetText, type Tool, type ToolInput } from './tool.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export const setVariables: Tool = {
  title: 'Set variables',
  description: 'Sets environment variables of published content, after you confirm their names.',
  model:
    'Sets environment variables of the active target of a folder. They apply from the next publish or restart on. Values cannot be read back.',
  icon: '$(symbol-variable)',
  input: {
    variables: {
      type: 'object',
      description: 'Values by name; null deletes a variable.',
      additionalProperties: { type: ['string', 'null'] },
    },
  },
  required: ['variables'],
  async prepare({ history, memory }, dir, input) {
    const record = await activeTarget(dir, memory);
    const title = l10n.t('Change variables of {0}?', path.basename(dir));
    if (record === undefined)
      return nothing(title, l10n.t('{0} was not published yet: it has no variables.', path.basename(dir)));
    const values = valuesOf(input);
    if (values.length === 0)
      return nothing(title, l10n.t('No variable was given: names have letters, digits and underscores.'));
    const named = (wanted: boolean) =>
      values
        .filter(({ value }) => (value === null) === wanted)
        .map(({ name }) => name)
        .join(', ');
    return {
      title,
      lines: [
        l10n.t('Target: {0}', targetText(record)),
        ...(named(false) === '' ? [] : [l10n.t('Set: {0}', named(false))]),
        ...(named(true) === '' ? [] : [l10n.t('Deleted: {0}', named(true))]),
      ],
      async run() {
        await history.setVariables(record, values);
        return `Changed: ${values.map(({ name }) => name).join(', ')}. Publish again to apply.`;
      },
    };
  },
};

function valuesOf({ variables }: ToolInput): { name: string; value: string | null }[] {
  if (typeof variables !== 'object' || variables === null) return [];
  return Object.entries(variables).flatMap(([name, value]: [string, unknown]) =>
    NAME.test(name) && (typeof value === 'string' || value === null) ? [{ name, value }] : [],
  );
}
