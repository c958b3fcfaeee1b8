// API representation of variants.
import type { ContentVariant, ParameterValue, VariantRendering } from '@pressroom/api/contract';
import { toTimestamp } from '../platform/clock.ts';
import type { RenderingRow } from '../runtime/rendering-store.ts';
import { presentSchedule } from '../schedules/present.ts';
import { DEFAULT_KEY, type ReadVariant } from './read.ts';

/** Relative to the address of the content. */
export function variantPath(key: string): string {
  return `_variant/${key}/`;
}

/** The path of a held rendering. */
export function heldPath(key: string): string {
  return `_held/${key}/`;
}

/** @param contentBase base of content addresses, without a trailing slash */
export function presentVariant(read: ReadVariant, contentBase: string): ContentVariant {
  const { content, variant, shown, taskId, held, schedule } = read;
  const url = `${contentBase}/content/${content.guid}/`;
  const next = schedule ? presentSchedule(schedule) : null;
  if (variant === null)
    return {
      key: DEFAULT_KEY,
      name: DEFAULT_KEY,
      is_default: true,
      ad_hoc: false,
      visibility: 'public',
      values: {},
      url,
      user_guid: null,
      bundle_id: content.bundle_id === null ? null : String(content.bundle_id),
      rendering_id: content.rendering_id,
      rendered_time: shown && toTimestamp(shown.created_time),
      task_id: taskId,
      schedule: next,
      created_time: toTimestamp(content.created_time),
      expires_time: null,
      held: null,
    };
  const { variant_key: key, name, visibility, user_guid, rendering_id } = variant;
  return {
    key,
    name: name ?? '',
    is_default: false,
    ad_hoc: name === null,
    visibility,
    values: valuesOf(variant.parameter_values),
    url: url + variantPath(key),
    user_guid,
    bundle_id: variant.bundle_id === null ? null : String(variant.bundle_id),
    rendering_id,
    rendered_time: variant.rendered_time === null ? null : toTimestamp(variant.rendered_time),
    task_id: taskId,
    schedule: next,
    created_time: toTimestamp(variant.created_time),
    expires_time: variant.expires_time === null ? null : toTimestamp(variant.expires_time),
    held: held && {
      bundle_id: String(held.bundle_id),
      task_id: held.task_id,
      values: valuesOf(held.parameter_values),
      reason: held.reason,
      url: url + heldPath(key),
      created_time: toTimestamp(held.created_time),
    },
  };
}

export function presentVariantRendering(row: RenderingRow, shown: number | null): VariantRendering {
  return {
    id: row.id,
    bundle_id: String(row.bundle_id),
    task_id: row.task_id,
    values: valuesOf(row.parameter_values ?? '{}'),
    created_time: toTimestamp(row.created_time),
    active: row.id === shown,
  };
}

function valuesOf(json: string): Record<string, ParameterValue> {
  return JSON.parse(json) as Record<string, ParameterValue>;
}
