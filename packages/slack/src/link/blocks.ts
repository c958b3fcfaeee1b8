// Linking an account: the offer, the modal for an API key, the page and code of a browser sign-in.
import type { BrowserCode } from '@pressroom/api/sign-in';
import type { ModalView } from '@slack/types';
import { actions, button, context, section, type Message } from '../blocks/blocks.ts';
import { fit, fitModal } from '../blocks/fit.ts';
import { linkButtons } from '../blocks/notes.ts';
import { inline, link } from '../blocks/text.ts';

/** Asks for an API key. */
export function linkModal(server: string, metadata: string): ModalView {
  return fitModal({
    type: 'modal',
    callback_id: 'link',
    private_metadata: metadata,
    title: { type: 'plain_text', text: 'Link your account' },
    submit: { type: 'plain_text', text: 'Link' },
    close: { type: 'plain_text', text: 'Cancel' },
    blocks: [
      section(
        `The bot acts with *your* permissions on ${link(server, server)}. Create an API key there and paste it here.`,
      ),
      {
        type: 'input',
        block_id: 'key',
        label: { type: 'plain_text', text: 'API key' },
        hint: {
          type: 'plain_text',
          text: 'Stored encrypted and never shown. /pressroom unlink deletes it.',
        },
        element: { type: 'plain_text_input', action_id: 'key', max_length: 512 },
      },
    ],
  });
}

/** @param pending the line that waits for the link. @param why in place of the usual text. */
export function linkNeeded(pending: string, why?: string): Message {
  const usual = 'This requires your account on the content server. Link it once, and your request continues.';
  return fit({
    text: 'Link your account first',
    blocks: [section(why ?? usual), linkButtons(pending)],
  });
}

/** The page to open, and the code to compare there. */
export function browserLinkMessage(server: string, code: BrowserCode): Message {
  return fit({
    text: 'Sign in with your browser to link your account',
    blocks: [
      section(
        `Sign in on ${link(server, server)}, and approve the request if the page shows the code *${inline(code.user_code)}*. The bot then acts with *your* permissions.`,
      ),
      actions(
        button('open', 'Open sign-in page', '', { style: 'primary', url: code.verification_uri_complete }),
      ),
      context(
        'Valid once, for ten minutes. Do not share this code: whoever approves it lets your Slack user act with their account.',
      ),
    ],
  });
}
