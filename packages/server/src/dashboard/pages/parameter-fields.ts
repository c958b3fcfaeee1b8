// The form for the parameters of a document: a field for each declared parameter, and parsing what was submitted.
import type { Parameter, ParameterValue } from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import type { PageRequest } from '../page.ts';
import { described, shownBefore, shownFields } from '../parts.ts';

const PREFIX = 'p:';
type Values = Readonly<Record<string, ParameterValue>>;

/** @param values initial values; the others have the defaults of the document */
export function parameterFields(
  request: PageRequest,
  declared: readonly Parameter[],
  values: Values = {},
): Html {
  return html`${declared.map((parameter) => fieldOf(request, parameter, values[parameter.name] ?? parameter.value))}`;
}

/** Sends the values shown along with the form. See `changedValues`. */
export function shownValues(request: PageRequest, declared: readonly Parameter[], values: Values): Html {
  const shown = declared.map((one) => [one.name, shownText(one, values[one.name] ?? one.value)]);
  return shownFields(request, 'values', Object.fromEntries(shown) as Record<string, string>);
}

/** Applies the changes made in a form to current values: others may have changed the rest since it was shown. */
export function changedValues(request: PageRequest, declared: readonly Parameter[], values: Values): Values {
  const { form: sent } = request;
  const shown = shownBefore(sent, 'values');
  const isChanged = (one: Parameter) => {
    const texts = sent.getAll(PREFIX + one.name);
    // A multiple choice without a selection sends nothing; neither does a field that was not in the form.
    if (texts.length === 0 && !one.multiple) return false;
    return Object.hasOwn(shown, one.name) || texts.length > 0
      ? sentText(texts, one) !== shown[one.name]
      : false;
  };
  const kept = declared.filter((one) => Object.hasOwn(values, one.name) && !isChanged(one));
  return {
    ...Object.fromEntries(kept.map(({ name }) => [name, values[name]!])),
    ...sentValues(request, declared.filter(isChanged)),
  };
}

/** As text: the API parses it by the type of each parameter. */
export function sentValues({ form: sent }: PageRequest, declared: readonly Parameter[]): Values {
  const values: Record<string, ParameterValue> = {};
  for (const { name, multiple, input, value } of declared) {
    const given = sent.getAll(PREFIX + name);
    if (given.length === 0) continue;
    const isDefault = given.length === 1 && given[0] === '' && (input !== 'text' || value === null);
    if (!isDefault) values[name] = multiple ? given.filter((one) => one !== '') : (given.at(-1) ?? '');
  }
  return values;
}

/** Values in one line, for tables. */
export function valuesText(values: Values): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} = ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join(' · ');
}

function fieldOf(request: PageRequest, parameter: Parameter, value: ParameterValue): Html {
  const { name, label, input, choices } = parameter;
  if (input === 'password' || input === 'file') return html``;
  const id = PREFIX + name;
  const before = request.form.getAll(id);
  const chosen = before.length > 0 ? before : textsOf(value);
  if (input === 'checkbox') return checkbox(id, label, chosen.at(-1) === 'true');
  if (choices !== null && input === 'radio' && !parameter.multiple) return radios(parameter, id, chosen);
  const { attributes, words } = described(request, id, label, hintOf(parameter));
  const control =
    choices === null
      ? html`<input id="${id}" name="${id}" ${attributesOf(parameter, chosen)} ${attributes} />`
      : html`<select id="${id}" name="${id}" ${parameter.multiple && html`multiple`} ${attributes}>
          ${options(choices, chosen)}
        </select>`;
  return html`<p class="field">
    <label for="${id}">${label}</label>
    ${control} ${words}
  </p>`;
}

function attributesOf({ input, min, max, step, multiple }: Parameter, chosen: readonly string[]): Html {
  const type = { slider: 'number', number: 'number', date: 'date', datetime: 'datetime-local' }[
    String(input)
  ];
  // A multiple parameter without choices is a single text field: its text is one value.
  const value = multiple ? (chosen[0] ?? '') : chosen.join(', ');
  const limits = html`${min !== null && html`min="${String(min)}"`}
  ${max !== null && html`max="${String(max)}"`}`;
  const steps =
    input === 'number' || input === 'slider' ? html`step="${step === null ? 'any' : String(step)}"` : html``;
  return html`type="${type ?? 'text'}" value="${value}" ${type && limits} ${steps}
  ${input === 'slider' && html`data-slider`} autocomplete="off"`;
}

function options(choices: NonNullable<Parameter['choices']>, chosen: readonly string[]): Html[] {
  return choices.map(
    ({ label, value }) =>
      html`<option value="${String(value)}" ${chosen.includes(String(value)) && html`selected`}>
        ${label}
      </option>`,
  );
}

function radios({ label, choices }: Parameter, id: string, chosen: readonly string[]): Html {
  const items = (choices ?? []).map(
    ({ label: text, value }) =>
      html`<label class="check"
        ><input
          type="radio"
          name="${id}"
          value="${String(value)}"
          ${chosen.includes(String(value)) && html`checked`}
        />
        ${text}</label
      >`,
  );
  return html`<fieldset>
    <legend>${label}</legend>
    ${items}
  </fieldset>`;
}

/** Browsers do not send unchecked boxes: the hidden field before it does. */
function checkbox(id: string, label: string, isChecked: boolean): Html {
  return html`<p>
    <input type="hidden" name="${id}" value="false" />
    <label class="check"
      ><input type="checkbox" name="${id}" value="true" ${isChecked && html`checked`} /> ${label}</label
    >
  </p>`;
}

function hintOf({ help, expression, min, max, step, input, choices }: Parameter): string {
  const hints = help === null ? [] : [help];
  if (choices === null && (min !== null || max !== null)) {
    const from = min === null ? '' : `from ${String(min)} `;
    const to = max === null ? '' : `to ${String(max)}`;
    hints.push(`${from}${to}${step !== null && input === 'slider' ? `, in steps of ${step}` : ''}`.trim());
  }
  if (expression !== null) hints.push(`leave empty for the default, ${expression.slice(0, 80)}`);
  const text = hints.join('; ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function textsOf(value: ParameterValue): string[] {
  if (value === null) return [];
  return Array.isArray(value) ? value.map(String) : [String(value)];
}

/** The text a browser sends for an untouched field. */
function shownText(parameter: Parameter, value: ParameterValue): string {
  const texts = textsOf(value);
  if (parameter.input === 'checkbox') return String(texts.at(-1) === 'true');
  if (parameter.multiple) return (parameter.choices === null ? texts.slice(0, 1) : texts).join('\n');
  return texts.join(', ');
}

function sentText(texts: readonly string[], { multiple }: Parameter): string {
  return multiple ? texts.join('\n') : (texts.at(-1) ?? '');
}
