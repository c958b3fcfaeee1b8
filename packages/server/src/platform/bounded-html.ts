// HTML that others wrote is read within bounds: what the standard has a reader do can grow with the square of a page.
import { defaultTreeAdapter as tree, type DefaultTreeAdapterMap, type TreeAdapter } from 'parse5';

/** A page that is beyond what is read. */
export class HtmlTooLarge extends Error {}

/** As deep as browsers nest. */
const DEEPEST = 512;

/**
 * Where parse5 makes the tree of one page, or of a part of one.
 * @param left elements that may be made, those included that a reader repeats where tags were not closed; counted down
 * @throws HtmlTooLarge while it is read
 */
export function boundedTree(left: { elements: number }): TreeAdapter<DefaultTreeAdapterMap> {
  let depth = 0;
  return {
    ...tree,
    createElement(...given) {
      left.elements -= 1;
      if (left.elements < 0) throw new HtmlTooLarge('the page has too many elements');
      return tree.createElement(...given);
    },
    onItemPush() {
      depth += 1;
      if (depth > DEEPEST) throw new HtmlTooLarge('the page is nested too deeply');
    },
    onItemPop() {
      depth -= 1;
    },
  };
}
