// Display names of people, content and access types.
import type { ContentItem } from '@pressroom/api/client';
import type { User } from '@pressroom/api/contract';
import type { Texts } from '../texts/en.ts';

export function accessOf({ access_type }: Pick<ContentItem, 'access_type'>, { visibility }: Texts): string {
  return labelOf(visibility, access_type);
}

/** The label of a value of the content server; the value itself if unknown. */
export function labelOf(labels: Readonly<Record<string, string>>, word: string): string {
  return Object.hasOwn(labels, word) ? (labels[word] ?? word) : word;
}

export function titleOf({ title, name }: { title: string | null; name: string }): string {
  return title ?? name;
}

export function fullName(user: Pick<User, 'first_name' | 'last_name' | 'username'>): string {
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ').trim();
  return name === '' ? user.username : `${name} (${user.username})`;
}
