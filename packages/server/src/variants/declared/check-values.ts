// Validates parameter values against the declaration before rendering.
import { errors, type Parameter, type ParameterValue } from '@pressroom/api/contract';

export type Values = Readonly<Record<string, ParameterValue>>;

const MAX_TEXT_LENGTH = 10_000;
const MAX_ITEMS = 1000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATETIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?$/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
/** Tolerance for rounding errors of decimal steps. */
const NEARLY = 1e-6;

/**
 * The values as the document accepts them. Text is converted to every type, for forms and command lines.
 * @throws ApiError 25 naming the parameter and accepted values; 39 for a document without parameters
 */
export function checkValues(
  declared: readonly Parameter[],
  given: Readonly<Record<string, unknown>>,
): Values {
  const names = Object.keys(given);
  if (names.length === 0) return {};
  if (declared.length === 0)
    throw errors.actionNotSupported({ message: 'this content has no parameters to give values for' });
  const known = new Map(declared.map((parameter) => [parameter.name, parameter]));
  const checked = names.flatMap((name) => {
    const parameter = known.get(name);
    if (!parameter) {
      const all = declared.map((one) => one.name).join(', ');
      throw errors.invalidParameter({
        message: `there is no parameter ${shown(name)}. The parameters are: ${all}`,
      });
    }
    const value = checkValue(parameter, given[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(checked);
}

/** Undefined for the default. */
function checkValue(parameter: Parameter, given: unknown): ParameterValue | undefined {
  const { name, input, multiple } = parameter;
  if (input === 'password' || input === 'file')
    throw wrong(name, `is a ${input} and cannot be set: use an environment variable of the content`);
  if (given === null || given === undefined) return undefined;
  if (given === '' && input !== 'text') return undefined;
  if (!multiple) return checkOne(parameter, Array.isArray(given) && given.length === 1 ? given[0] : given);
  const items = Array.isArray(given) ? given : [given];
  if (items.length > MAX_ITEMS) throw wrong(name, `takes at most ${MAX_ITEMS} values`);
  return items.map((item) => {
    const value = checkOne(parameter, item);
    return typeof value === 'boolean' ? String(value) : value;
  });
}

function checkOne(parameter: Parameter, given: unknown): string | number | boolean {
  const { name, input, choices } = parameter;
  if (typeof given !== 'string' && typeof given !== 'number' && typeof given !== 'boolean')
    throw wrong(name, 'takes text, a number, or true or false');
  if (choices !== null) return choiceOf(parameter, choices, given);
  if (input === 'checkbox') return truth(name, given);
  if (input === 'number' || input === 'slider') return within(parameter, number(name, given));
  if (input === 'date') return within(parameter, date(name, given));
  if (input === 'datetime') return datetime(parameter, given);
  return text(parameter, given);
}

function choiceOf(
  { name }: Parameter,
  choices: NonNullable<Parameter['choices']>,
  given: string | number | boolean,
): string | number {
  const found = choices.find(({ value }) => String(value) === String(given));
  if (found) return found.value as string | number;
  const all = choices.slice(0, 20).map(({ value }) => String(value));
  throw wrong(name, `must be one of: ${all.join(', ')}${choices.length > all.length ? ', …' : ''}`);
}

function truth(name: string, given: string | number | boolean): boolean {
  if (/^(true|yes|on|1)$/i.test(String(given))) return true;
  if (/^(false|no|off|0)$/i.test(String(given))) return false;
  throw wrong(name, 'must be true or false');
}

function number(name: string, given: string | number | boolean): number {
  const read = typeof given === 'string' && NUMBER.test(given.trim()) ? Number(given) : given;
  if (typeof read !== 'number' || !Number.isFinite(read)) throw wrong(name, 'must be a number');
  return read;
}

function date(name: string, given: string | number | boolean): string {
  if (typeof given !== 'string' || !DATE.test(given) || !isDay(given))
    throw wrong(name, 'must be a date such as 2026-05-31');
  return given;
}

function datetime({ name, value }: Parameter, given: string | number | boolean): string {
  if (typeof given !== 'string' || !DATETIME.test(given) || !isDay(given.slice(0, 10)))
    throw wrong(name, 'must be a time such as 2026-05-31T18:30');
  const read = given.replace(' ', 'T');
  if (Number.isNaN(Date.parse(`${read}Z`))) throw wrong(name, 'must be a time such as 2026-05-31T18:30');
  // R before 4.3 ignores the time after a T: only for documents that write one.
  return typeof value === 'string' && value[10] === 'T' ? read : read.replace('T', ' ');
}

function isDay(given: string): boolean {
  const time = Date.parse(`${given}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(given);
}

function within<V extends string | number>({ name, input, min, max, step }: Parameter, value: V): V {
  const below = typeof min === typeof value && min !== null && value < (min as V);
  const above = typeof max === typeof value && max !== null && value > (max as V);
  if (below || above) throw wrong(name, `must be ${limits(min, max)}`);
  if (input === 'slider' && step !== null && typeof value === 'number') {
    const steps = (value - (typeof min === 'number' ? min : 0)) / step;
    if (Math.abs(steps - Math.round(steps)) > NEARLY)
      throw wrong(name, `must be ${limits(min, max)}, in steps of ${step}`);
  }
  return value;
}

function limits(min: ParameterValue, max: ParameterValue): string {
  if (min === null) return `at most ${String(max)}`;
  return max === null ? `at least ${String(min)}` : `between ${String(min)} and ${String(max)}`;
}

/** Numbers stay numbers if the default is one: the document may calculate with it. */
function text({ name, value }: Parameter, given: string | number | boolean): string | number | boolean {
  if (typeof given !== 'string') return given;
  if (given.length > MAX_TEXT_LENGTH) throw wrong(name, `takes at most ${MAX_TEXT_LENGTH} characters`);
  if (/[[\p{Cc}&&\p{ASCII}]--[\t\n\r]]/v.test(given) || !given.isWellFormed())
    throw wrong(name, 'must not have control characters');
  return typeof value === 'number' ? number(name, given) : given;
}

function wrong(name: string, what: string) {
  const called = `parameter ${shown(name)}`;
  return errors.invalidParameter({ message: `${called} ${what}`, field: `values.${name}` });
}

/** Names are untrusted: shortened and in one line for messages. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, 60)).slice(1, -1);
}
