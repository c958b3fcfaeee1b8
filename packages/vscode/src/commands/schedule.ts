// Shows and changes the schedule of a published document.
import { findKind, type Schedule } from '@pressroom/api/contract';
import { l10n, window, type QuickPickItem } from 'vscode';
import { showInformationMessage } from '../ui/messages.ts';
import { hostOf } from '../ui/texts.ts';
import type { Command } from './command.ts';
import { signedIn } from './content-of.ts';
import { DOCUMENT_NODE } from './when.ts';

interface ScheduleItem extends QuickPickItem {
  readonly cron?: string;
  readonly does?: 'other' | 'remove';
}

export const schedule: Command = {
  title: 'Schedule Rendering',
  menus: [{ in: 'view/item/context', when: DOCUMENT_NODE, group: '4_run@6' }],
  async run(parts, argument) {
    const found = await signedIn(parts, argument);
    if (found === undefined) return;
    const { record } = found;
    if (findKind(record.app_mode)?.engine !== 'document') {
      void showInformationMessage(
        l10n.t('{0} is not rendered: only documents have a schedule.', record.name),
      );
      return;
    }
    const now = await parts.history.schedule(record);
    const timezone = now?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    const picked = await window.showQuickPick(itemsOf(now, timezone), {
      title: l10n.t('Schedule of {0} on {1}', record.name, hostOf(record.server)),
      placeHolder: now === undefined ? l10n.t('It is rendered when it is published') : stateText(now),
    });
    if (picked === undefined) return;
    if (picked.does === 'remove') {
      await parts.history.setSchedule(record, null);
      void showInformationMessage(l10n.t('{0} no longer has a schedule.', record.name));
      return;
    }
    const cron = picked.cron ?? (await askCron(now));
    if (cron === undefined) return;
    const set = await parts.history.setSchedule(record, { cron, timezone });
    if (set !== null) void showInformationMessage(`${record.name}: ${stateText(set)}`);
  },
};

function itemsOf(now: Schedule | undefined, timezone: string): ScheduleItem[] {
  const usual: ScheduleItem[] = [
    { label: l10n.t('Every hour'), cron: '0 * * * *' },
    { label: l10n.t('Every day at 6:00'), cron: '0 6 * * *' },
    { label: l10n.t('Monday to Friday at 6:00'), cron: '0 6 * * 1-5' },
    { label: l10n.t('Every Monday at 6:00'), cron: '0 6 * * 1' },
    { label: l10n.t('On the first of the month at 6:00'), cron: '0 6 1 * *' },
  ];
  return [
    ...usual.map((item) => ({
      ...item,
      description: item.cron === now?.cron ? l10n.t('{0} · now', timezone) : timezone,
    })),
    { label: l10n.t('Other times…'), description: now?.cron ?? '', does: 'other' },
    ...(now === undefined
      ? []
      : [{ label: l10n.t('$(trash) Remove the schedule'), does: 'remove' as const, alwaysShow: true }]),
  ];
}

function askCron(now: Schedule | undefined): Thenable<string | undefined> {
  return window.showInputBox({
    prompt: l10n.t('Minute, hour, day of the month, month and day of the week, as in cron: 30 6 * * 1-5'),
    value: now?.cron ?? '0 6 * * *',
    validateInput: (text) =>
      /^\S+( +\S+){4,5}$/.test(text.trim()) ? undefined : l10n.t('Enter five fields, separated by spaces.'),
  });
}

function stateText({ cron, timezone, next_time }: Schedule): string {
  const next = next_time === null ? '' : new Date(next_time).toLocaleString();
  return next === ''
    ? l10n.t('Rendered at {0} ({1})', cron, timezone)
    : l10n.t('Rendered at {0} ({1}), next on {2}', cron, timezone, next);
}
