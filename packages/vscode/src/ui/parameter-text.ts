// Values of parameters for display and input. The server parses and validates input; obvious errors are reported before
// it is sent.
import type { Parameter, ParameterValue } from '@pressroom/api/contract';
import { l10n } from 'vscode';

const PATTERNS: Partial<Record<Parameter['input'], RegExp>> = {
  number: /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i,
  slider: /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i,
  date: /^\d{4}-\d{2}-\d{2}$/,
  datetime: /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?$/,
};

/** Secrets and files cannot be set: they keep their default. */
export function isSettable({ input }: Parameter): boolean {
  return input !== 'password' && input !== 'file';
}

/** @param value undefined if the parameter has its default */
export function valueText(parameter: Parameter, value: ParameterValue | undefined): string {
  const { value: fallback, choices } = parameter;
  const shown = value ?? fallback;
  if (shown === null) return l10n.t('computed by the document');
  const texts = [shown].flat().map((one) => {
    if (typeof one === 'boolean' || parameter.input === 'checkbox')
      return String(one) === 'true' ? l10n.t('Yes') : l10n.t('No');
    const choice = choices?.find((item) => String(item.value) === String(one));
    return choice?.label ?? String(one);
  });
  return texts.join(', ');
}

/** Values of a variant, in one line. */
export function valuesText(values: Readonly<Record<string, ParameterValue>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} = ${[value].flat().map(String).join(', ')}`)
    .join(' · ');
}

/** Describes valid input. */
export function hintOf({ label, help, input, min, max }: Parameter): string {
  const form = input === 'date' ? '2026-05-31' : input === 'datetime' ? '2026-05-31T18:30' : '';
  const parts = [help ?? label, form, limitsText(min, max)];
  return parts.filter((part) => part !== '').join(' · ');
}

/** Why input is invalid; undefined if the server decides. Empty means the default. */
export function problemOf({ input, min, max }: Parameter, typed: string): string | undefined {
  const text = typed.trim();
  if (text === '' || PATTERNS[input] === undefined) return undefined;
  if (!PATTERNS[input].test(text)) {
    if (input === 'date') return l10n.t('Enter a date such as 2026-05-31.');
    if (input === 'datetime') return l10n.t('Enter a time such as 2026-05-31T18:30.');
    return l10n.t('Enter a number.');
  }
  const isNumber = input === 'number' || input === 'slider';
  const value = isNumber ? Number(text) : text;
  const beyond = (limit: ParameterValue, sign: 1 | -1) =>
    typeof limit === typeof value && limit !== null && (sign === 1 ? value > limit : value < limit);
  return beyond(min, -1) || beyond(max, 1) ? l10n.t('Enter a value {0}.', limitsText(min, max)) : undefined;
}

function limitsText(min: ParameterValue, max: ParameterValue): string {
  if (min === null && max === null) return '';
  if (min === null) return l10n.t('up to {0}', String(max));
  return max === null ? l10n.t('from {0}', String(min)) : l10n.t('from {0} to {1}', String(min), String(max));
}
