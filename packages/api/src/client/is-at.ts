import type { ContentItem } from './methods.ts';

/**
 * Whether an address is that of a content item, or of a page below its custom path. The item is of `listContent` with
 * `include: 'vanity_url'`.
 */
export function isAt(item: Pick<ContentItem, 'url' | 'vanity_url'>, address: string): boolean {
  const at = withSlash(address.replace(/[?#].*$/, ''));
  if (item.url && withSlash(item.url) === at) return true;
  // Custom paths are the same in any case.
  return Boolean(item.vanity_url) && at.toLowerCase().startsWith(withSlash(item.vanity_url!).toLowerCase());
}

function withSlash(address: string): string {
  return `${address.replace(/\/+$/, '')}/`;
}
