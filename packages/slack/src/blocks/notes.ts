// Short answers: a sentence, a failure, a choice between several.
import { RefusedError, isCallFailure } from '@pressroom/api';
import { actions, button, context, section, select, type Message } from './blocks.ts';
import { fit } from './fit.ts';
import { linkButtons } from '../commands/user/blocks.ts';
import { escape, inline, line } from './text.ts';

/** @param text mrkdwn, its foreign parts escaped. */
export function note(text: string): Message {
  return fit({ text, blocks: [section(text)] });
}

/** What went wrong, in the words of the failure and with what to do next. */
export function failureMessage(error: unknown, doing: string): Message {
  const known = isCallFailure(error);
  const refusedKey = error instanceof RefusedError && error.status === 401;
  const reason = known ? error.message : 'Something went wrong here. It has been logged.';
  const code = error instanceof RefusedError && error.code !== null ? ` (code ${error.code})` : '';
  const hint = refusedKey
    ? 'Your API key is not taken any more: it was revoked, or your account is locked. Link again with a new one.'
    : known
      ? error.hint
      : '';
  return fit({
    text: `${escape(doing)} did not work`,
    blocks: [
      section(`:warning: *${inline(doing)} did not work*\n${inline(reason, 600)}${code}`),
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

/** @param pending the id of the line that waits for the choice. */
export function pickerMessage(words: string, choices: readonly Choice[], pending: string): Message {
  const options = choices.map(({ guid, name, title }) => ({
    text: line(title === null || title === name ? name : `${title} (${name})`, 75),
    value: guid,
  }));
  const block = section(`*${inline(words)}* fits ${choices.length} content items.`);
  return fit({
    text: `Which one is ${inline(words)}?`,
    blocks: [
      block,
      ...(choices.length >= 100 ? [context('Only the first 100 are shown: write more of the name.')] : []),
      // The last block is the one that always fits.
      { ...actions(select('pick', 'Choose one', options)), block_id: `pick:${pending}` },
    ],
  });
}

/**
 * @param lines the same command with each of the nearest names.
 * @param remark what else the words may have meant.
 */
export function notFoundMessage(
  words: string,
  lines: readonly { name: string; line: string }[],
  remark?: string,
): Message {
  return fit({
    text: `No content fits ${inline(words)}`,
    blocks: [
      section(`You can see no content that fits *${inline(words)}*.`),
      ...(remark === undefined ? [] : [context(remark)]),
      ...(lines.length === 0
        ? []
        : [
            context('The nearest names'),
            actions(...lines.map(({ name, line: text }, i) => button(`run:${i}`, line(name, 75), text))),
          ]),
    ],
  });
}
