// `lock`: nobody deploys a content item for a while, and everybody who tries is told why.
import { titleOf } from '../../blocks/names.ts';
import { note } from '../../blocks/notes.ts';
import { inline, moment } from '../../blocks/text.ts';
import type { Command } from '../command.ts';
import { parseDuration } from '../line/duration.ts';
import { textOption } from '../line/parsed-command.ts';
import { resolveContent } from '../shared/find-content.ts';

export const lock: Command = {
  syntax: {
    usage: 'lock <content> --reason "why" [--for 7d]',
    summary: 'Lock deploys of a content item: nobody deploys it until the lock ends or is removed',
    examples: ['lock sales-report --reason "Quarter-end freeze" --for 2d'],
    subject: 'required',
    options: {
      reason: { type: 'text', about: 'what everybody who deploys is told' },
      for: { type: 'text', about: 'how long, such as 4h or 2d; without it, until `unlock`' },
    },
  },
  account: 'own',
  async run(run) {
    const { client, command, services, signal } = run;
    const reason = textOption(command, 'reason');
    if (reason === null) return note('Say why: `--reason "Quarter-end freeze"`.');
    const duration = textOption(command, 'for');
    const seconds = duration === null ? null : parseDuration(duration);
    if (duration !== null && seconds === null) return note('--for must be a duration such as 4h, 2d or 1w.');
    const found = await resolveContent(run);
    if ('message' in found) return found.message;
    const { guid } = found.content;
    const until = seconds === null ? null : new Date(services.now() + seconds * 1000).toISOString();
    const locked = await client.setDeployLock({ guid, reason: reason.slice(0, 500), until }, { signal });
    const end = locked.until === null ? '' : ` until ${moment(locked.until)}`;
    return note(
      `:lock: Deploys of *${inline(titleOf(found.content))}* are locked${end}: ${inline(locked.reason, 300)}`,
    );
  },
};
