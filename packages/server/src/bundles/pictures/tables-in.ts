// The tables of a page as text. In a large one they are looked for in a worker thread: millions of tags take seconds.
import { errors } from '@pressroom/api/contract';
import { messageOf } from '../../platform/errors.ts';
import { PARSED_AT_ONCE, reduceInThread } from '../../platform/reduce-in-thread.ts';
import { MAX_CHARACTERS } from './moved-numbers.ts';

/** As `sourcesOf` finds them in the result. */
const FIND = `
const { parentPort, workerData } = require('node:worker_threads');
const html = new TextDecoder().decode(workerData);
const tags = /<table[\\s>]|<\\/table\\s*>/gi;
let [tables, from] = ['', null];
for (let tag = tags.exec(html); tag !== null && tables.length <= ${MAX_CHARACTERS}; tag = tags.exec(html)) {
  if (!tag[0].startsWith('</')) from = tag.index;
  else if (from !== null) {
    tables += html.slice(from, tags.lastIndex).slice(0, ${MAX_CHARACTERS + 1});
    from = null;
  }
}
parentPort.postMessage(tables);
`;

/** @throws ApiError 39 */
export async function tablesIn(page: Buffer): Promise<string> {
  if (page.length <= PARSED_AT_ONCE) return page.toString();
  try {
    return (await reduceInThread(FIND, page)) ?? '';
  } catch (cause) {
    throw errors.actionNotSupported({ message: `a page cannot be compared: ${messageOf(cause)}`, cause });
  }
}
