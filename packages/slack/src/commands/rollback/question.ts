// The question of a rollback: from which bundle to which, with alternatives.
import type { Client, ContentItem } from '@pressroom/api/client';
import { deploysOf, rollbackTarget } from '@pressroom/api/publish';
import { titleOf } from '../../blocks/names.ts';
import { inline } from '../../blocks/text.ts';
import type { Texts } from '../../texts/en.ts';
import { bundlesOf } from '../shared/find-content.ts';
import { targetsOf } from '../shared/rollback-targets.ts';
import type { RollbackQuestion } from './blocks.ts';
import { rollbackTexts } from './texts.ts';

/** Identifies a question, so that it is confirmed once. @param from the live bundle; null for none */
export function rollbackKey(question: string, content: string, to: string, from: string | null): string {
  return ['rollback', question, content, to, from ?? ''].join(':');
}

/**
 * The question; a sentence if there is nothing to ask.
 * @param id of the question
 * @param wanted target bundle; null for the one that was live before
 */
export async function askRollback(
  asInvoker: { readonly client: Client; readonly signal: AbortSignal; readonly texts: Texts },
  content: ContentItem,
  id: string,
  wanted: string | null = null,
): Promise<RollbackQuestion | string> {
  const title = inline(titleOf(content));
  const { changes } = asInvoker.texts;
  const rollback = rollbackTexts(asInvoker.texts);
  const [bundles, deploys] = await Promise.all([
    bundlesOf(asInvoker, content.guid),
    deploysOf(asInvoker.client, content.guid, { signal: asInvoker.signal }),
  ]);
  const targets = targetsOf(bundles, deploys, content.bundle_id);
  if (wanted !== null && wanted === content.bundle_id) return rollback.isLive(inline(wanted), title);
  const ids = targets.map((target) => target.id);
  const chosen = wanted ?? rollbackTarget(ids, deploys, content.bundle_id);
  const to = targets.find((target) => target.id === chosen);
  if (to === undefined) {
    if (wanted !== null) return changes.noBundle(title, inline(wanted));
    return targets.length === 0
      ? rollback.noPrevious(title)
      : rollback.noneWorked(
          title,
          `rollback ${inline(content.name)} --bundle ${inline(targets[0]?.id ?? '')}`,
        );
  }
  return {
    key: rollbackKey(id, content.guid, to.id, content.bundle_id),
    title: titleOf(content),
    from: content.bundle_id,
    to,
    others: targets.filter((target) => target !== to).slice(0, CHOICES),
  };
}

/** Maximum alternatives. */
const CHOICES = 24;

/** Whether a deploy with this result can be rolled back. */
export function isLive(state: string): boolean {
  return state === 'succeeded' || state === 'unknown';
}
