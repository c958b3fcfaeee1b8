// What may stand behind a command's name: parsing, help and the user page read it.

export type OptionSyntax =
  | { readonly type: 'flag'; readonly about: string }
  | { readonly type: 'duration'; readonly about: string; readonly default: string }
  | {
      readonly type: 'choice';
      readonly about: string;
      readonly values: readonly string[];
      readonly default: string;
    }
  | { readonly type: 'number'; readonly about: string }
  | { readonly type: 'text'; readonly about: string };

export interface Syntax {
  /** Behind `/pressroom`, as in `deploy <content> [--bundle id]`. */
  readonly usage: string;
  /** A sentence without its full stop. */
  readonly summary: string;
  readonly examples: readonly string[];
  /** What stands before the options. */
  readonly subject: 'none' | 'optional' | 'required';
  readonly options: Readonly<Record<string, OptionSyntax>>;
  /** Words that may follow the subject. */
  readonly filters?: readonly string[];
}

export const SINCE = { type: 'duration', about: 'how far back', default: '7d' } as const;
