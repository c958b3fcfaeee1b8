// `rollback`: activates the last successful bundle, or a chosen one, after a confirmation.
import { randomUUID } from 'node:crypto';
import { titleOf } from '../../blocks/names.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import type { Command } from '../command.ts';
import { textOption } from '../line/parsed-command.ts';
import { mayChange, resolveContent } from '../shared/find-content.ts';
import { rollbackMessage } from './blocks.ts';
import { askRollback } from './question.ts';
import { rollbackTexts } from './texts.ts';

export const rollback: Command = {
  texts: rollbackTexts,
  syntax: {
    usage: 'rollback <content> [--bundle id]',
    examples: ['rollback sales-report', 'rollback sales-report --bundle 42'],
    subject: 'required',
    options: { bundle: { type: 'number' } },
  },
  account: 'own',
  async run(run) {
    const found = await resolveContent(run);
    if ('message' in found) return found.message;
    const me = await run.client.getCurrentUser({}, { signal: run.signal });
    if (!mayChange(found.content, me))
      return note(run.texts.failure.noPermission(inline(titleOf(found.content))));
    const question = await askRollback(run, found.content, randomUUID(), textOption(run.command, 'bundle'));
    return typeof question === 'string' ? note(question) : rollbackMessage(question, run.texts);
  },
};
