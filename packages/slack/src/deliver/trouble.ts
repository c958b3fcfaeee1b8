// Crashed processes, failed renders, and bundles that nobody can approve, as they are told in channels.
import { actions, button, context, section, type Message } from '../blocks/blocks.ts';
import { fit } from '../blocks/fit.ts';
import { inline, line, link, moment } from '../blocks/text.ts';
import type { Subject } from './subject.ts';
import type { Texts } from '../texts/en.ts';

/** A render that failed, a process that crashed, or a bundle that waits for approval and cannot get it. */
export interface Trouble extends Subject {
  readonly what: 'crash' | 'render' | 'stuck';
  /** Of a crash, how the process ended; of a render, its task; else the bundle. */
  readonly reason: string;
  /** GUID of the account of who can mend it. */
  readonly owner?: string;
}

const HOUR = 3_600_000;

/** Crashes are told once an hour. */
export function troubleKey({ what, content, time, id }: Trouble): string {
  return what === 'crash' ? `crash:${content.guid}:${Math.floor(time / HOUR)}` : `event:${id}`;
}

export function troubleMessage(subject: Trouble, texts: Texts): Message {
  const { what, content, reason, time } = subject;
  if (what === 'stuck') return stuckMessage(subject, texts);
  const { trouble, buttons } = texts;
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

function stuckMessage({ content, reason, time }: Trouble, { trouble, releases, buttons }: Texts): Message {
  const bundle = inline(reason, 20);
  return fit({
    text: trouble.stuckText(bundle, inline(content.title)),
    blocks: [
      section(`*${trouble.stuckText(bundle, link(content.url, content.title))}*\n${releases.stuck('')}`),
      context(moment(time)),
      actions(button('run:releases', buttons.approvals, `releases ${line(content.guid, 64)}`)),
    ],
  });
}
