// `unlink`: deletes the link, revokes its key, and ends the person's subscriptions.
import { note } from '../../blocks/notes.ts';
import { unlinkPerson } from '../../link/unlinking.ts';
import type { Command } from '../command.ts';
import { unlinkTexts } from './texts.ts';

export const unlink: Command = {
  texts: unlinkTexts,
  syntax: {
    usage: 'unlink',
    examples: ['unlink'],
    subject: 'none',
    options: {},
  },
  account: 'none',
  async run({ services, invoker: { team, user }, texts }) {
    const words = unlinkTexts(texts);
    const key = await unlinkPerson(services, team, user);
    if (key === null) return note(words.notLinked);
    return note(key === 'revoked' ? words.revoked : words.left);
  },
};
