// API representation of tags: a list, or the tree of older clients.
import type { Tag, TagBranch } from '@pressroom/api/contract';
import { toTimestamp } from '../platform/clock.ts';
import type { TagRow } from './store.ts';

export function presentTag({ id, name, parent_id, created_time, updated_time }: TagRow): Tag {
  return {
    id: String(id),
    name,
    parent_id: parent_id === null ? null : String(parent_id),
    created_time: toTimestamp(created_time),
    updated_time: toTimestamp(updated_time),
  };
}

/** In row order. */
export function presentTree(rows: readonly TagRow[]): TagBranch[] {
  const children = Map.groupBy(rows, ({ parent_id }) => parent_id);
  const below = (parent: number | null): TagBranch[] =>
    (children.get(parent) ?? []).map(({ id, name, parent_id, created_time, updated_time }) => ({
      id,
      name,
      parent_id,
      created_time: toTimestamp(created_time),
      updated_time: toTimestamp(updated_time),
      version: 0,
      children: below(id),
    }));
  return below(null);
}
