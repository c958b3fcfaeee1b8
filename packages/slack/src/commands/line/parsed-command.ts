// A parsed command line, and the line that parses to it.

export interface ParsedCommand<Name extends string = string> {
  readonly name: Name;
  /** The content, task, person or command; empty if none was given. */
  readonly subject: string;
  readonly options: Readonly<Record<string, string | true>>;
  readonly filters: readonly string[];
}

/** A word as it is typed: in quotes if it has spaces. */
export function quote(word: string): string {
  return /[\s"']/.test(word) ? `"${word.replaceAll('"', '')}"` : word;
}

export function commandLine({ name, subject, options, filters }: ParsedCommand): string {
  const flags = Object.entries(options).map(([key, value]) =>
    value === true ? `--${key}` : `--${key} ${quote(value)}`,
  );
  return [name, quote(subject), ...filters.map(quote), ...flags].filter((word) => word !== '').join(' ');
}

/** The text of an option; null if it was not given. */
export function textOption({ options }: ParsedCommand, name: string): string | null {
  const value = options[name];
  return typeof value === 'string' ? value : null;
}
