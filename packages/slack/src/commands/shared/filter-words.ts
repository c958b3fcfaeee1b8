// What a subscription is for, in words.
import type { Texts } from '../../texts/en.ts';

/** @param filters as people type them */
export function filterWords(filters: readonly string[], { subscribe }: Texts): string {
  return filters.map((word) => subscribe.filters[word] ?? word).join(', ');
}
