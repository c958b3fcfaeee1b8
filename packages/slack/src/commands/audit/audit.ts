// `audit`: the audit log of the server, for people who may read it.
import { RefusedError } from '@pressroom/api/client';
import type { AuditEntry } from '@pressroom/api/contract';
import { note } from '../../blocks/notes.ts';
import type { Command } from '../command.ts';
import { startOf } from '../line/duration.ts';
import { textOption } from '../line/parsed-command.ts';
import { SINCE } from '../line/syntax.ts';
import { auditSince } from '../shared/audit-log.ts';
import { findPeople } from '../shared/find-people.ts';
import { peopleMessage } from '../user/blocks.ts';
import { auditMessage } from './blocks.ts';
import { auditTexts } from './texts.ts';

const SHOWN = 90;

export const audit: Command = {
  texts: auditTexts,
  syntax: {
    usage: 'audit [--user name] [--last 7d]',
    examples: ['audit --user ada --last 30d'],
    subject: 'none',
    options: { user: { type: 'text' }, last: SINCE },
  },
  account: 'any',
  async run(run) {
    const { command, client, services, signal, share, texts } = run;
    const last = textOption(command, 'last') ?? SINCE.default;
    let user = textOption(command, 'user');
    let wanted = user?.toLowerCase() ?? '';
    // Entries have the full name and the username only.
    if (user?.includes('@') === true) {
      const people = (await findPeople(run, user)) ?? { words: user, found: [], total: 0 };
      const [only] = people.found;
      if (only === undefined || people.total > 1) return peopleMessage({ ...people, words: user }, texts);
      user = only.username;
      wanted = `(${user.toLowerCase()})`;
    }
    const entries: AuditEntry[] = [];
    try {
      for await (const entry of auditSince(client, startOf(last, services.now()), signal)) {
        const who = String(entry.user_description ?? '').toLowerCase();
        if (!who.includes(wanted)) continue;
        entries.push(entry);
        if (entries.length > SHOWN) break;
      }
    } catch (error) {
      if (error instanceof RefusedError && error.status === 403)
        return note(auditTexts(texts).onlyAdministrators);
      throw error;
    }
    const more = entries.length > SHOWN;
    return auditMessage({ last, user, entries: entries.slice(0, SHOWN), more }, share, texts);
  },
};
