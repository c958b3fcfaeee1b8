// Crashed processes and failed renders, as they are told in channels.
import { actions, button, context, section, type Message } from '../blocks/blocks.ts';
import { fit } from '../blocks/fit.ts';
import { inline, line, link, moment } from '../blocks/text.ts';
import type { Subject } from './alert-in-channels.ts';

/** A render that failed, or a process that crashed. */
export interface Trouble extends Subject {
  readonly what: 'crash' | 'render';
  /** Of a crash, how the process ended; of a render, its task. */
  readonly reason: string;
}

const HOUR = 3_600_000;

/** Crashes are told once an hour. */
export function troubleKey({ what, content, time, id }: Trouble): string {
  return what === 'crash' ? `crash:${content.guid}:${Math.floor(time / HOUR)}` : `event:${id}`;
}

export function troubleMessage({ what, content, reason, time }: Trouble): Message {
  const title = link(content.url, content.title);
  const isCrash = what === 'crash';
  const headline = isCrash
    ? `:boom: A process of *${title}* crashed: it ${inline(reason, 200)}.`
    : `:x: *${title}* could not be rendered. The last rendering stays live.`;
  const more = isCrash ? 'Further crashes within the hour are not posted.' : `Task ${inline(reason, 64)}`;
  return fit({
    text: isCrash
      ? `A process of ${inline(content.title)} crashed`
      : `${inline(content.title)} could not be rendered`,
    blocks: [
      section(headline),
      context(`${moment(time)} · ${more}`),
      actions(
        ...(content.url === null ? [] : [button('open', 'Open', '', { url: content.url })]),
        button('run:status', 'Status', `status ${line(content.guid, 64)}`),
        ...(isCrash ? [] : [button('run:logs', 'Logs', `logs ${line(reason, 64)}`)]),
      ),
    ],
  });
}
