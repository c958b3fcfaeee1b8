// HTML from templates, by Hono's: what is put in is escaped, unless it is HTML already.
import { html as template, raw } from 'hono/html';

export type Html = ReturnType<typeof raw>;
type Part = Html | string | number | null | undefined | false | readonly Part[];

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  // It is a promise only where a part is one.
  return template(strings, ...parts) as Html;
}

/** Text that is HTML already, and holds nothing that others wrote. */
export function trusted(text: string): Html {
  return raw(text);
}
