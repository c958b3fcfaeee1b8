// `lock`: locks deploys of a content item for a while, with a reason.
import { titleOf } from '../../blocks/names.ts';
import { note } from '../../blocks/notes.ts';
import { inline, moment } from '../../blocks/text.ts';
import type { Command } from '../command.ts';
import { parseDuration } from '../line/duration.ts';
import { textOption } from '../line/parsed-command.ts';
import { resolveContent } from '../shared/find-content.ts';
import { lockTexts } from './texts.ts';

export const lock: Command = {
  texts: lockTexts,
  syntax: {
    usage: 'lock <content> --reason "why" [--for 7d]',
    examples: ['lock sales-report --reason "Quarter-end freeze" --for 2d'],
    subject: 'required',
    options: {
      reason: { type: 'text' },
      for: { type: 'text' },
    },
  },
  account: 'own',
  async run(run) {
    const { client, command, services, signal } = run;
    const words = lockTexts(run.texts);
    const reason = textOption(command, 'reason');
    if (reason === null) return note(words.sayWhy);
    const duration = textOption(command, 'for');
    const seconds = duration === null ? null : parseDuration(duration);
    if (duration !== null && seconds === null) return note(words.duration);
    const found = await resolveContent(run);
    if ('message' in found) return found.message;
    const { guid } = found.content;
    const until = seconds === null ? null : new Date(services.now() + seconds * 1000).toISOString();
    const locked = await client.setDeployLock({ guid, reason: reason.slice(0, 500), until }, { signal });
    const end = locked.until === null ? null : moment(locked.until);
    return note(words.locked(inline(titleOf(found.content)), end, inline(locked.reason, 300)));
  },
};
