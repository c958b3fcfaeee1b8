// The kinds of settings there are, and short ways to write one down.

interface Form {
  /** Goes on after "must be". */
  readonly expected: string;
  readonly holds: (value: string) => boolean;
}
interface Text {
  readonly type: 'text';
  readonly default: string;
  readonly values?: readonly string[];
  readonly secret?: true;
  /** Several values, comma-separated. */
  readonly isList?: true;
  /** What a value must look like, unless it is the default. */
  readonly form?: Form;
  readonly about: string;
}
interface Whole {
  readonly type: 'integer' | 'number';
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly about: string;
}
interface Flag {
  readonly type: 'boolean';
  readonly default: boolean;
  readonly about: string;
}
export type Setting = Text | Whole | Flag;

export const seconds = (value: number, about: string) =>
  ({ type: 'integer', default: value, min: 0, max: 2_592_000, about: `Seconds ${about}` }) as const;
export const whole = (value: number, min: number, max: number, about: string) =>
  ({ type: 'integer', default: value, min, max, about }) as const;
export const text = (value: string, about: string) => ({ type: 'text', default: value, about }) as const;
/** Text of a form; the default need not have it. */
export const formed = (value: string, form: Form, about: string) =>
  ({ type: 'text', default: value, form, about }) as const;
/** Values, comma-separated, which together have a form; a settings file may have them as a list. */
export const list = (form: Form | null, about: string) =>
  ({ type: 'text', default: '', isList: true, about, ...(form !== null && { form }) }) as const;
/** Those of a setting that is a list. */
export const listOf = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
/** Never logged or shown. */
export const secret = (about: string) => ({ type: 'text', default: '', secret: true, about }) as const;
/** The same, of a form; without it the value would be known to whoever tries. */
export const formedSecret = (form: Form, about: string) =>
  ({ type: 'text', default: '', secret: true, form, about }) as const;
export const flag = (value: boolean, about: string) => ({ type: 'boolean', default: value, about }) as const;
export const choice = <const V extends readonly string[]>(value: V[number], values: V, about: string) =>
  ({ type: 'text', default: value, values, about }) as const;
