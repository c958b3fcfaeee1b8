// Parses untrusted HTML within bounds: the standard algorithm can take quadratic time.
import { defaultTreeAdapter as tree, type DefaultTreeAdapterMap, type TreeAdapter } from 'parse5';

/** A page beyond the bounds. */
export class HtmlTooLarge extends Error {}

/** Maximum depth, as in browsers. */
const DEEPEST = 512;

/**
 * A tree adapter of parse5 for one page or part of one.
 * @param left elements that may be created, including repeated ones for unclosed tags; counted down
 * @throws HtmlTooLarge while parsing
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
