// What may stand behind a command's name: parsing, help and the user page read it.

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
  /** Behind `/pressroom`, as in `deploy <content> [--bundle id]`. */
  readonly usage: string;
  readonly examples: readonly string[];
  /** What stands before the options. */
  readonly subject: 'none' | 'optional' | 'required';
  readonly options: Readonly<Record<string, OptionSyntax>>;
  /** Words that may follow the subject. */
  readonly filters?: readonly string[];
  /** `name=value` may follow the subject, as filters do. */
  readonly takesValues?: true;
}

export const SINCE = { type: 'duration', default: '7d' } as const;
