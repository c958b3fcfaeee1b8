// Finds a draft by its bundle, its preview, or the preview's branch.
import type { Client } from '@pressroom/api/client';
import type { Draft } from '@pressroom/api/contract';
import { previewNameOf } from '@pressroom/api/publish';

export async function findDraft(
  client: Client,
  guid: string,
  named: string,
  signal: AbortSignal,
): Promise<Draft | undefined> {
  const drafts = await client.getDrafts({ guid }, { signal });
  const preview = previewNameOf(named);
  return (
    drafts.find((draft) => draft.preview === named || draft.preview === preview) ??
    drafts.find((draft) => draft.bundle_id === named)
  );
}
