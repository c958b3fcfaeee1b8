// Variants of a document on its server: named sets of parameter values, each with its rendering.
import type { Client } from '@pressroom/api/client';
import type {
  ContentParameters,
  ContentVariant,
  ParameterValue,
  VariantRendering,
} from '@pressroom/api/contract';
import type { ContentRef } from './content-ref.ts';

export type Values = Readonly<Record<string, ParameterValue>>;

/** Values of a new variant. */
export interface WantedVariant {
  readonly values: Values;
  /** For a saved variant; undefined for a temporary one of the user. */
  readonly keep?: { readonly name: string; readonly visibility: 'public' | 'private' };
}

export interface Variants {
  /** As declared by the active bundle. */
  parameters(content: ContentRef): Promise<ContentParameters['parameters']>;
  /** Those that the user may open, the default first. */
  list(content: ContentRef): Promise<ContentVariant[]>;
  /** Newest first. */
  renderings(content: ContentRef, key: string): Promise<VariantRendering[]>;
  /** Starts its first rendering, the task `task_id`. */
  create(content: ContentRef, wanted: WantedVariant): Promise<ContentVariant>;
  /** Starts a rendering with other values. */
  change(content: ContentRef, key: string, values: Values): Promise<ContentVariant>;
  /** Starts a rendering with the same values; returns the task's id. */
  render(content: ContentRef, key: string): Promise<string>;
  remove(content: ContentRef, key: string): Promise<void>;
}

/** @param using runs calls as the user signed in to a server */
export function createVariants(
  using: <T>(server: string, use: (client: Client) => Promise<T>) => Promise<T>,
): Variants {
  return {
    parameters: ({ server, guid }) =>
      using(server, async (client) => [...(await client.getContentParameters({ guid })).parameters]),
    list: ({ server, guid }) => using(server, (client) => client.getContentVariants({ guid })),
    renderings: ({ server, guid }, key) =>
      using(server, (client) => client.getContentVariantRenderings({ guid, key })),
    create: ({ server, guid }, { values, keep }) =>
      using(server, (client) => client.createContentVariant({ guid, values, ...(keep ?? { ad_hoc: true }) })),
    change: ({ server, guid }, key, values) =>
      using(server, (client) => client.updateContentVariant({ guid, key, values })),
    render: ({ server, guid }, key) =>
      using(server, async (client) => (await client.renderContentVariant({ guid, key })).task_id),
    remove: ({ server, guid }, key) => using(server, (client) => client.deleteContentVariant({ guid, key })),
  };
}
