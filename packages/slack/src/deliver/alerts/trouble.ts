// Messages about crashed processes, failed and held renders, and stuck releases.
import { actions, button, context, section, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { inline, line, link, moment } from '../../blocks/text.ts';
import type { Texts } from '../../texts/en.ts';
import { reasonOf } from '../../texts/explain.ts';
import type { Subject } from '../subject.ts';
import type { ChannelAlert } from './alert-in-channels.ts';

/** A failed render, a held one of a variant, a crashed process, or a stuck release. */
export interface Trouble extends Subject {
  readonly what: 'crash' | 'render' | 'held_variant' | 'stuck';
  /** For a crash, how the process ended; for a render, its task; else the bundle. */
  readonly reason: string;
  /** Of a crash, for readers of other languages. */
  readonly reason_code?: string | null;
  readonly reason_detail?: string | null;
  /** GUID of the account that can fix it. */
  readonly owner?: string;
}

const HOUR = 3_600_000;

/** Crashes of content are posted at most once within an hour. */
export function troubleKey({ what, content, id }: Trouble): Pick<ChannelAlert, 'key' | 'repeatAfter'> {
  return what === 'crash' ? { key: `crash:${content.guid}`, repeatAfter: HOUR } : { key: `event:${id}` };
}

export function troubleMessage(subject: Trouble, texts: Texts): Message {
  const { what, content, reason, reason_code = null, reason_detail = null, time } = subject;
  if (what === 'stuck') return stuckMessage(subject, texts);
  const { trouble, buttons } = texts;
  const title = link(content.url, content.title);
  const isCrash = what === 'crash';
  const how = reasonOf({ who: '', reason, reason_code, reason_detail }, texts.code) ?? reason;
  const isHeld = what === 'held_variant';
  const ofRender = isHeld ? trouble.held(title) : trouble.render(title);
  const headline = isCrash ? trouble.crash(title, inline(how, 200)) : ofRender;
  const more = isCrash ? trouble.onceAnHour : trouble.task(inline(reason, 64));
  return fit({
    text: trouble[isCrash ? 'crashText' : isHeld ? 'heldText' : 'renderText'](inline(content.title)),
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
