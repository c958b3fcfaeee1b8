// `unlink`: deletes the link, revokes the key that it made, ends the person's subscriptions.
import { note } from '../../blocks/notes.ts';
import { unlinkPerson } from '../../link/unlinking.ts';
import type { Command } from '../command.ts';

export const unlink: Command = {
  syntax: {
    usage: 'unlink',
    examples: ['unlink'],
    subject: 'none',
    options: {},
  },
  account: 'none',
  async run({ services, asker: { team, user }, texts: { unlink: words } }) {
    const key = await unlinkPerson(services, team, user);
    if (key === null) return note(words.notLinked);
    return note(key === 'revoked' ? words.revoked : words.left);
  },
};
