// Describes the filters of a subscription.
import { variantOfFilter } from '../../deliver/renderings/renderings.ts';
import type { Texts } from '../../texts/en.ts';

/** @param filters as typed */
export function filterWords(filters: readonly string[], { subscribe }: Texts): string {
  const named = (word: string) => {
    const variant = variantOfFilter(word);
    return variant === null ? (subscribe.filters[word] ?? word) : subscribe.renderingsOf(variant);
  };
  return filters.map(named).join(', ');
}
