// A bundle that waits for approval: existing approvals, and possible actions.
import type { ContentItem } from '@pressroom/api/client';
import type { Release } from '@pressroom/api/contract';
import { actions, button, context, section, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { titleOf } from '../../blocks/names.ts';
import { inline, moment } from '../../blocks/text.ts';
import type { Texts } from '../../texts/en.ts';

type Content = Pick<ContentItem, 'guid' | 'name' | 'title'>;

export function releasesMessage(content: Content, releases: readonly Release[], texts: Texts): Message {
  const words = texts.releases;
  const title = inline(titleOf(content));
  if (releases.length === 0) {
    const text = words.none(title);
    return fit({ text, blocks: [section(text)] });
  }
  return fit({
    text: words.text(releases.length, title),
    blocks: [
      section(words.headline(title)),
      ...releases.flatMap((release) => [
        section(standingText(release, texts)),
        context(words.asked(moment(release.asked_time))),
        ...askedOf(release, texts),
        releaseButtons(content.guid, release, texts),
      ]),
    ],
  });
}

/** People who can approve it. */
function askedOf({ asked, stuck }: Release, { releases }: Texts) {
  if (stuck) return [context(releases.stuck(''))];
  const names = asked.map(({ username }) => inline(username, 100));
  return names.length === 0 ? [] : [context(releases.canApprove(names.join(', ')))];
}

/** Such as `Bundle 12: 1 of 2 approvals (Ada)`. */
export function standingText(
  { bundle_id, needed, approvals, override_reason }: Release,
  { releases }: Texts,
): string {
  const names = approvals.map(({ username }) => inline(username));
  const by = names.length === 0 ? '' : ` (${names.join(', ')})`;
  const around = override_reason === null ? '' : releases.overriddenBecause(inline(override_reason, 300));
  return `${releases.standing(inline(bundle_id), approvals.length, needed, by)}${around}`;
}

export function releaseButtons(
  guid: string,
  { bundle_id, approved }: Pick<Release, 'bundle_id' | 'approved'>,
  { buttons }: Texts,
) {
  return actions(
    approved
      ? button('run:deploy', buttons.makeLive, `deploy ${guid} --bundle ${bundle_id}`)
      : button('run:approve', buttons.approve, `approve ${guid} --bundle ${bundle_id}`),
    button('run:changes', buttons.changes, `changes ${guid} --bundle ${bundle_id}`),
  );
}
