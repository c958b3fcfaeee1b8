// Messages of linking an account: the offer, the modal for an API key, the page and code of a browser sign-in.
import type { BrowserCode } from '@pressroom/api/sign-in';
import type { ModalView } from '@slack/types';
import { actions, button, context, section, type Message } from '../blocks/blocks.ts';
import { fit, fitModal } from '../blocks/fit.ts';
import { linkButtons } from '../blocks/notes.ts';
import { inline, link } from '../blocks/text.ts';
import type { Texts } from '../texts/en.ts';

/** Asks for an API key. */
export function linkModal(
  server: string,
  metadata: string,
  command: string,
  { link: words, buttons }: Texts,
): ModalView {
  return fitModal({
    type: 'modal',
    callback_id: 'link',
    private_metadata: metadata,
    title: { type: 'plain_text', text: words.title },
    submit: { type: 'plain_text', text: buttons.link },
    close: { type: 'plain_text', text: buttons.cancel },
    blocks: [
      section(words.about(link(server, server))),
      {
        type: 'input',
        block_id: 'key',
        label: { type: 'plain_text', text: words.key },
        hint: {
          type: 'plain_text',
          text: words.keyHint(command),
        },
        element: { type: 'plain_text_input', action_id: 'key', max_length: 512 },
      },
    ],
  });
}

/** @param pending the command that waits for the link. @param why replaces the usual text. */
export function linkNeeded(pending: string, texts: Texts, why?: string): Message {
  return fit({
    text: texts.link.first,
    blocks: [section(why ?? texts.link.needed), linkButtons(pending, texts)],
  });
}

/** The page to open, and the code to compare there. */
export function browserLinkMessage(
  server: string,
  code: BrowserCode,
  { link: words, buttons }: Texts,
): Message {
  return fit({
    text: words.browserText,
    blocks: [
      section(words.browser(link(server, server), inline(code.user_code))),
      actions(
        button('open', buttons.openSignIn, '', { style: 'primary', url: code.verification_uri_complete }),
      ),
      context(words.browserHint),
    ],
  });
}
