// What people, content and access are called in messages.
import type { ContentItem } from '@pressroom/api/client';
import type { User } from '@pressroom/api/contract';

const ACCESS: Readonly<Record<string, string>> = {
  all: 'Anyone',
  logged_in: 'Anyone with an account',
  acl: 'Specific people and groups',
};

export function accessOf({ access_type }: Pick<ContentItem, 'access_type'>): string {
  return ACCESS[access_type] ?? access_type;
}

export function titleOf({ title, name }: { title: string | null; name: string }): string {
  return title ?? name;
}

export function fullName(user: Pick<User, 'first_name' | 'last_name' | 'username'>): string {
  const name = `${user.first_name} ${user.last_name}`.trim();
  return name === '' ? user.username : `${name} (${user.username})`;
}
