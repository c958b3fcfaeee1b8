// The name of a person; empty if the server knows none.
import type { User } from '@pressroom/api/contract';

export function fullName({ first_name, last_name }: Pick<User, 'first_name' | 'last_name'>): string {
  return [first_name, last_name].filter(Boolean).join(' ');
}
