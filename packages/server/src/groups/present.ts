// API representation of groups.
import type { Group } from '@pressroom/api/contract';
import type { GroupRow } from './store.ts';

export function presentGroup({ guid, name }: GroupRow, owner_guid: string | null): Group {
  return { guid, name, owner_guid };
}
