// Short responses: a note, a failure, a choice.
import { isCallFailure, RefusedError } from '@pressroom/api/client';
import type { KnownBlock, ModalView } from '@slack/types';
import type { Texts } from '../texts/en.ts';
import { explain } from '../texts/explain.ts';
import { actions, button, context, section, select, type Message } from './blocks.ts';
import { fit, fitModal } from './fit.ts';
import { escape, inline, line, moment } from './text.ts';

/** @param text mrkdwn, with foreign text escaped. */
export function note(text: string): Message {
  return fit({ text, blocks: [section(text)] });
}

/** A read-only modal. @param content mrkdwn, or the blocks of a message */
export function textModal(title: string, content: string | Message, { buttons }: Texts): ModalView {
  const blocks = typeof content === 'string' ? [section(content)] : content.blocks;
  return fitModal({
    type: 'modal',
    title: { type: 'plain_text', text: title },
    close: { type: 'plain_text', text: buttons.close },
    blocks,
  });
}

/** The failure, its reason, and a remedy. @param doing such as `The rollback` */
export function failureMessage(error: unknown, doing: string, texts: Texts): Message {
  const { failure } = texts;
  const known = isCallFailure(error) ? explain(error, texts.code) : null;
  const refusedKey = error instanceof RefusedError && error.status === 401;
  const reason = known?.reason ?? failure.unexpected;
  const code = error instanceof RefusedError && error.code !== null ? ` (${failure.code(error.code)})` : '';
  const hint = refusedKey ? failure.invalidKey : (known?.hint ?? '');
  return fit({
    text: failure.headline(escape(doing)),
    blocks: [
      section(`:warning: *${failure.headline(inline(doing))}*\n${withMoments(inline(reason, 600))}${code}`),
      ...(hint === '' ? [] : [context(inline(hint, 400))]),
      ...(refusedKey ? [linkButtons('link', texts)] : []),
    ],
  });
}

/** Shows the server's times in the reader's time zone. */
function withMoments(text: string): string {
  return text.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (time) => moment(time));
}

/** Maximum options of a menu. */
const OFFERED = 100;

export interface Choice {
  readonly guid: string;
  readonly name: string;
  readonly title: string | null;
}

/** @param pending ID of the command that waits for the choice */
export function pickerMessage(
  words: string,
  choices: readonly Choice[],
  pending: string,
  { buttons, find }: Texts,
): Message {
  const options = choices.slice(0, OFFERED).map(({ guid, name, title }) => ({
    text: line(title === null || title === name ? name : `${title} (${name})`, 75),
    value: guid,
  }));
  const block = section(find.several(choices.length, inline(words)));
  return fit({
    text: find.which(inline(words)),
    blocks: [
      block,
      ...(choices.length > OFFERED ? [context(find.onlyFirst)] : []),
      // The last block always fits.
      { ...actions(select('pick', buttons.chooseContent, options)), block_id: `pick:${pending}` },
    ],
  });
}

/**
 * @param lines the same command with similar names
 * @param remark what else may have been meant
 */
export function notFoundMessage(
  words: string,
  lines: readonly { name: string; line: string }[],
  { find, words: labels }: Texts,
  remark?: string,
): Message {
  return fit({
    text: find.none(inline(words)),
    blocks: [
      section(find.noneVisible(inline(words))),
      ...(remark === undefined ? [] : [context(remark)]),
      ...(lines.length === 0
        ? []
        : [
            context(labels.didYouMean),
            actions(...lines.map(({ name, line: text }, i) => button(`run:${i}`, line(name, 75), text))),
          ]),
    ],
  });
}

/** Both ways to link an account. @param pending the command that waits for the link, or `home` */
export function linkButtons(pending: string, { buttons }: Texts): KnownBlock {
  return actions(
    button('link:browser', buttons.signIn, pending, { style: 'primary' }),
    button('link', buttons.useKey, pending),
  );
}
