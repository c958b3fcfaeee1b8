// `unlink`: deletes the link and the API key behind it.
import { note } from '../../blocks/notes.ts';
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
  async run({ services: { store, clients }, asker: { team, user } }) {
    const removed = await store.removeLink(team, user);
    clients.forget(team, user);
    return note(
      removed
        ? 'Your account is unlinked, and the bot has deleted your API key. Revoke the key on the server, too.'
        : 'Your account was not linked.',
    );
  },
};
