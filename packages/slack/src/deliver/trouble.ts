// Crashed processes and failed renders, as they are told in channels.
import { actions, button, context, section, type Message } from '../blocks/blocks.ts';
import { fit } from '../blocks/fit.ts';
import { inline, line, link, moment } from '../blocks/text.ts';
import type { Subject } from './subject.ts';
import type { Texts } from '../texts/en.ts';

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

export function troubleMessage(
  { what, content, reason, time }: Trouble,
  { trouble, buttons }: Texts,
): Message {
  const title = link(content.url, content.title);
  const isCrash = what === 'crash';
  const headline = isCrash ? trouble.crash(title, inline(reason, 200)) : trouble.render(title);
  const more = isCrash ? trouble.onceAnHour : trouble.task(inline(reason, 64));
  return fit({
    text: isCrash ? trouble.crashText(inline(content.title)) : trouble.renderText(inline(content.title)),
    blocks: [
      section(headline),
      context(`${moment(time)} · ${more}`),
      actions(
        ...(content.url === null ? [] : [button('open', buttons.open, '', { url: content.url })]),
        button('run:status', buttons.status, `status ${line(content.guid, 64)}`),
        ...(isCrash ? [] : [button('run:logs', buttons.logs, `logs ${line(reason, 64)}`)]),
      ),
    ],
  });
}
