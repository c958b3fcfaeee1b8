// Streams long lists that have no pages: building and sending one as a whole would block the event loop.
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

/** A list as it is read. */
export type Portions<Item> = AsyncGenerator<readonly Item[], void>;

export function isPortions(result: unknown): result is Portions<unknown> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
}

/** The items of a list with one portion; otherwise its JSON text. @param serialize one item */
export async function itemsOrText(
  portions: Portions<unknown>,
  serialize: (item: unknown) => string,
): Promise<readonly unknown[] | Readable> {
  const first = await portions.next();
  if (first.done === true) return [];
  const second = await portions.next();
  if (second.done === true) return first.value;
  return Readable.from(textOf([first.value, second.value], portions, serialize), { highWaterMark: 1 });
}

async function* textOf(
  begun: readonly (readonly unknown[])[],
  rest: Portions<unknown>,
  serialize: (item: unknown) => string,
): AsyncGenerator<string> {
  let lead = '[';
  for await (const items of concat(begun, rest)) {
    if (items.length === 0) continue;
    yield lead + items.map(serialize).join(',');
    lead = ',';
    await setImmediate();
  }
  yield lead === '[' ? '[]' : ']';
}

async function* concat<Item>(begun: readonly Item[], rest: AsyncGenerator<Item, void>): AsyncGenerator<Item> {
  yield* begun;
  yield* rest;
}
