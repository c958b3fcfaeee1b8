// A bundle that waits for approval: who approved it, and what can be done about it.
import type { ContentItem } from '@pressroom/api/client';
import type { Release } from '@pressroom/api/contract';
import { actions, button, context, section, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { titleOf } from '../../blocks/names.ts';
import { inline, moment } from '../../blocks/text.ts';

type Content = Pick<ContentItem, 'guid' | 'name' | 'title'>;

export function releasesMessage(content: Content, releases: readonly Release[]): Message {
  const title = inline(titleOf(content));
  if (releases.length === 0) {
    const text = `No bundle of *${title}* waits for approval.`;
    return fit({ text, blocks: [section(text)] });
  }
  return fit({
    text: `Bundles of ${title} that wait for approval: ${releases.length}`,
    blocks: [
      section(`:ballot_box_with_check: Bundles of *${title}* that wait for approval`),
      ...releases.flatMap((release) => [
        section(standingText(release)),
        context(`Asked for ${moment(release.asked_time)}`),
        releaseButtons(content.guid, release),
      ]),
    ],
  });
}

/** As in `Bundle 12: 1 of 2 approvals (Ada)`. */
export function standingText({ bundle_id, needed, approvals, override_reason }: Release): string {
  const names = approvals.map(({ username }) => inline(username));
  const by = names.length === 0 ? '' : ` (${names.join(', ')})`;
  const around = override_reason === null ? '' : `, overridden: ${inline(override_reason, 300)}`;
  return `Bundle ${inline(bundle_id)}: ${approvals.length} of ${needed} approvals${by}${around}`;
}

export function releaseButtons(
  guid: string,
  { bundle_id, approved }: Pick<Release, 'bundle_id' | 'approved'>,
) {
  return actions(
    approved
      ? button('run:deploy', 'Make live', `deploy ${guid} --bundle ${bundle_id}`)
      : button('run:approve', 'Approve', `approve ${guid} --bundle ${bundle_id}`),
    button('run:changes', 'Changes', `changes ${guid} --bundle ${bundle_id}`),
  );
}
