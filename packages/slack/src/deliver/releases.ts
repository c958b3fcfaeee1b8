// Bundles that wait for approval, as they are told in channels.
import { actions, button, context, section, type Message } from '../blocks/blocks.ts';
import { fit } from '../blocks/fit.ts';
import { inline, line, link, moment } from '../blocks/text.ts';
import type { Subject } from './alert-in-channels.ts';

/** Somebody asked for the approval of a bundle, gave it, or let the bundle go live without. */
export interface ReleaseStep extends Subject {
  readonly what: 'asked' | 'approved' | 'overridden';
  readonly bundle: string;
  readonly who: string;
}

export function releaseMessage({ what, content, bundle, who, time }: ReleaseStep): Message {
  const [title, plain] = [link(content.url, content.title), inline(content.title)];
  const [name, id] = [inline(who, 100), inline(bundle, 20)];
  const texts = {
    asked: [`:raised_hand: ${name} asks to release bundle ${id} of *${title}*.`, 'waits for approval'],
    approved: [`:white_check_mark: ${name} approved bundle ${id} of *${title}*.`, 'was approved'],
    overridden: [
      `:warning: ${name} let bundle ${id} of *${title}* go live without the approvals that it lacks.`,
      'may go live without approval',
    ],
  } as const;
  const [headline, short] = texts[what];
  const to = (command: string) => `${command} ${line(content.guid, 64)}`;
  const bundleOption = `--bundle ${line(bundle, 20)}`;
  return fit({
    text: `Bundle ${id} of ${plain} ${short}`,
    blocks: [
      section(headline),
      context(moment(time)),
      actions(
        ...(what === 'overridden'
          ? []
          : [button('run:approve', 'Approve', `${to('approve')} ${bundleOption}`)]),
        button('run:changes', 'Changes', `${to('changes')} ${bundleOption}`),
        button('run:releases', 'Approvals', to('releases')),
      ),
    ],
  });
}
