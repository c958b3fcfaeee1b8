// `unlink`: deletes the link, revokes the key that it made, ends the person's subscriptions.
import { note } from '../../blocks/notes.ts';
import { unlinkPerson } from '../../link/unlinking.ts';
import type { Command } from '../command.ts';

export const unlink: Command = {
  syntax: {
    usage: 'unlink',
    summary: 'Unlink your account and delete your API key from the bot',
    examples: ['unlink'],
    subject: 'none',
    options: {},
  },
  account: 'none',
  async run({ services, asker: { team, user } }) {
    const key = await unlinkPerson(services, team, user);
    if (key === null) return note('Your account was not linked.');
    return note(
      key === 'revoked'
        ? 'Your account is unlinked, and the bot’s API key for it is revoked.'
        : 'Your account is unlinked, and the bot has deleted your API key. Revoke the key on the server, too.',
    );
  },
};
