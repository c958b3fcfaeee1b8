// HTML templates based on Hono's: values are escaped unless they are HTML already.
import { withoutDirections } from '@pressroom/api/contract';
import { html as template, raw } from 'hono/html';

export type Html = ReturnType<typeof raw>;
type Part = Html | string | number | null | undefined | false | readonly Part[];

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  // A promise only if one of the parts is.
  return template(strings, ...parts.map(inReadingOrder)) as Html;
}

function inReadingOrder(part: Part): Part {
  if (typeof part === 'string') return withoutDirections(part);
  return Array.isArray(part) ? part.map(inReadingOrder) : part;
}

/** Marks text as HTML, which must contain nothing written by others. */
export function trusted(text: string): Html {
  return raw(text);
}
