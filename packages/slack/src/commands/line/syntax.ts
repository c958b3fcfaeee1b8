// Syntax after a command's name, for parsing, help and the user page.

export type OptionSyntax =
  | { readonly type: 'flag' }
  | { readonly type: 'duration'; readonly default: string }
  | {
      readonly type: 'choice';
      readonly values: readonly string[];
      readonly default: string;
    }
  | { readonly type: 'number' }
  | { readonly type: 'text' };

export interface Syntax {
  /** After `/pressroom`, such as `deploy <content> [--bundle id]`. */
  readonly usage: string;
  readonly examples: readonly string[];
  /** The argument before the options. */
  readonly subject: 'none' | 'optional' | 'required';
  readonly options: Readonly<Record<string, OptionSyntax>>;
  /** Options that take the place of the subject. */
  readonly instead?: readonly string[];
  /** Words allowed after the subject. */
  readonly filters?: readonly string[];
  /** Whether `name=value` may follow the subject, like filters. */
  readonly takesValues?: true;
}

export const SINCE = { type: 'duration', default: '7d' } as const;
