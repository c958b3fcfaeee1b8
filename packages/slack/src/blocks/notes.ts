// Short answers: a note, a failure, a choice between several.
import { isCallFailure, RefusedError } from '@pressroom/api/client';
import type { KnownBlock, ModalView } from '@slack/types';
import { actions, button, context, section, select, type Message } from './blocks.ts';
import { fit, fitModal } from './fit.ts';
import { escape, inline, line } from './text.ts';

/** @param text mrkdwn, with the text of others escaped. */
export function note(text: string): Message {
  return fit({ text, blocks: [section(text)] });
}

/** A window that only says something. @param content mrkdwn, or the blocks of a message */
export function textModal(title: string, content: string | Message): ModalView {
  const blocks = typeof content === 'string' ? [section(content)] : content.blocks;
  return fitModal({
    type: 'modal',
    title: { type: 'plain_text', text: title },
    close: { type: 'plain_text', text: 'Close' },
    blocks,
  });
}

/** What failed, why, and what to do next. @param doing as in `The rollback` */
export function failureMessage(error: unknown, doing: string): Message {
  const known = isCallFailure(error);
  const refusedKey = error instanceof RefusedError && error.status === 401;
  const reason = known ? error.message : 'The bot had an unexpected error. See its log.';
  const code = error instanceof RefusedError && error.code !== null ? ` (code ${error.code})` : '';
  const hint = refusedKey
    ? 'Your API key is no longer valid: it was revoked, or your account is locked. Link your account again.'
    : known
      ? error.hint
      : '';
  return fit({
    text: `${escape(doing)} failed`,
    blocks: [
      section(`:warning: *${inline(doing)} failed*\n${inline(reason, 600)}${code}`),
      ...(hint === '' ? [] : [context(inline(hint, 400))]),
      ...(refusedKey ? [linkButtons('link')] : []),
    ],
  });
}

export interface Choice {
  readonly guid: string;
  readonly name: string;
  readonly title: string | null;
}

/** @param pending the ID of the line that waits for the choice */
export function pickerMessage(words: string, choices: readonly Choice[], pending: string): Message {
  const options = choices.map(({ guid, name, title }) => ({
    text: line(title === null || title === name ? name : `${title} (${name})`, 75),
    value: guid,
  }));
  const block = section(`${choices.length} content items match *${inline(words)}*.`);
  return fit({
    text: `Which content is ${inline(words)}?`,
    blocks: [
      block,
      ...(choices.length >= 100
        ? [context('Only the first 100 are shown. Type more of the name to see fewer.')]
        : []),
      // The last block is the one that always fits.
      { ...actions(select('pick', 'Choose content', options)), block_id: `pick:${pending}` },
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
  remark?: string,
): Message {
  return fit({
    text: `No content matches ${inline(words)}`,
    blocks: [
      section(`No content that you can see matches *${inline(words)}*.`),
      ...(remark === undefined ? [] : [context(remark)]),
      ...(lines.length === 0
        ? []
        : [
            context('Did you mean:'),
            actions(...lines.map(({ name, line: text }, i) => button(`run:${i}`, line(name, 75), text))),
          ]),
    ],
  });
}

/** Both ways to link an account. @param pending the line that waits for the link, or `home` */
export function linkButtons(pending: string): KnownBlock {
  return actions(
    button('link:browser', 'Sign in with browser', pending, { style: 'primary' }),
    button('link', 'Use an API key', pending),
  );
}
