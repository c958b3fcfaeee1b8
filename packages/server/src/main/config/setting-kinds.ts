// Kinds of settings, and short ways to declare one.

interface Form {
  /** Completes "must be". */
  readonly expected: string;
  readonly holds: (value: string) => boolean;
}
interface Text {
  readonly type: 'text';
  readonly default: string;
  readonly values?: readonly string[];
  readonly secret?: true;
  /** Comma-separated values. */
  readonly isList?: true;
  /** Format of a value, unless it is the default. */
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
/** Text with a format; the default need not match. */
export const formed = (value: string, form: Form, about: string) =>
  ({ type: 'text', default: value, form, about }) as const;
/** Comma-separated values with a common format; a settings file may have them as a list. */
export const list = (form: Form | null, about: string) =>
  ({ type: 'text', default: '', isList: true, about, ...(form !== null && { form }) }) as const;
/** The values of a list setting. */
export const listOf = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
/** Never logged or shown. */
export const secret = (about: string) => ({ type: 'text', default: '', secret: true, about }) as const;
/** A secret with a format, so that it cannot be guessed. */
export const formedSecret = (form: Form, about: string) =>
  ({ type: 'text', default: '', secret: true, form, about }) as const;
export const flag = (value: boolean, about: string) => ({ type: 'boolean', default: value, about }) as const;
export const choice = <const V extends readonly string[]>(value: V[number], values: V, about: string) =>
  ({ type: 'text', default: value, values, about }) as const;
