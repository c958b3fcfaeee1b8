// `subscribe`: posts notifications about a content item in this channel.
import { titleOf } from '../../blocks/names.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import { onlyFailures } from '../../deliver/channels.ts';
import { digestTime, isQuiet, parseQuiet } from '../../deliver/quiet.ts';
import type { Command, Run } from '../command.ts';
import { textOption } from '../line/parsed-command.ts';
import { deploysIn } from '../shared/audit-log.ts';
import { mayChange, resolveContent } from '../shared/find-content.ts';
import { dryRunMessage, type DryRunEntry } from './blocks.ts';

const WEEK = 7 * 86_400_000;
const DEFAULT_FILTERS = ['deploys', 'failures'];

export const subscribe: Command = {
  syntax: {
    usage: 'subscribe <content> [deploys|failures|usage-weekly]',
    summary: 'Post notifications about a content item in this channel; deploys and failures by default',
    examples: ['subscribe sales-report failures', 'subscribe sales-report usage-weekly --quiet 22-7'],
    subject: 'required',
    options: {
      quiet: { type: 'text', about: 'hours (UTC) in which only failures are posted, such as 22-7' },
      'dry-run': { type: 'flag', about: 'show what would have been posted last week, without subscribing' },
    },
    filters: ['deploys', 'failures', 'usage-weekly'],
  },
  // It is the subscriber's rights that the channel sees the content with.
  account: 'own',
  async run(run) {
    const { command, services, asker } = run;
    const quiet = textOption(command, 'quiet');
    if (quiet !== null && parseQuiet(quiet) === null)
      return note('--quiet must be hours in UTC, such as 22-7.');
    const found = await resolveContent(run);
    if ('message' in found) return found.message;
    const { guid } = found.content;
    const title = titleOf(found.content);
    const filters = command.filters.length === 0 ? DEFAULT_FILTERS : [...new Set(command.filters)];
    if (command.options['dry-run'] === true) {
      const entries = await lastWeek(run, guid, filters, quiet);
      return entries === null
        ? note('A dry run requires the audit log of the server, which the bot has no API key to read.')
        : dryRunMessage(title, filters, entries);
    }
    if (!(await services.slack.canPost(asker.team, asker.channel)))
      return note(
        `The bot cannot post in this channel. Invite it with \`/invite ${services.command.replace('/', '@')}\`, and subscribe again.`,
      );
    await services.store.saveSubscription({
      team: asker.team,
      channel: asker.channel,
      content: guid,
      title,
      filters: filters.join(','),
      quiet,
      slack_user: asker.user,
      slack_name: asker.name,
    });
    const hours = quiet === null ? '' : `; only failures from ${quiet.replace('-', ' to ')} o’clock UTC`;
    const me = await run.client.getCurrentUser({}, { signal: run.signal });
    const output = mayChange(found.content, me)
      ? ''
      : ' Output and causes are left out: only collaborators can see them.';
    return note(`Subscribed this channel to *${inline(title)}*: ${filters.join(', ')}${hours}.${output}`);
  },
};

/** What the subscription would have posted; null where the bot cannot read the audit log. */
async function lastWeek(
  { services, signal }: Run,
  guid: string,
  filters: readonly string[],
  quiet: string | null,
): Promise<DryRunEntry[] | null> {
  const reader = services.clients.service;
  if (reader === null) return null;
  const now = services.now();
  const entries: DryRunEntry[] = [];
  for await (const { time, bundle, task } of deploysIn(reader, now - WEEK, signal, guid)) {
    const failed = task !== null && (await isFailed(reader, task));
    const only = onlyFailures({ filters: filters.join(','), quiet }, Date.parse(time));
    const held = only === null ? 'not subscribed' : only === 1 && !failed ? 'failures only' : null;
    // Not the words of the audit log, which are for administrators.
    const what = bundle === null ? 'Deploy' : `Deploy of bundle ${bundle}`;
    entries.push({ time, text: `${what}${failed ? ' failed' : ''}`, held });
    if (entries.length >= 100) break;
  }
  const digest = digestTime(now);
  if (filters.includes('usage-weekly') && digest > now - WEEK) {
    const held = isQuiet(quiet, digest) ? 'after the quiet hours' : null;
    entries.push({ time: new Date(digest).toISOString(), text: 'Usage last week', held });
  }
  return entries;
}

async function isFailed(client: Run['client'], task: string): Promise<boolean> {
  return client.getTask({ id: task, first: 0, wait: 0 }).then(
    ({ finished, code }) => finished && code !== 0,
    () => false,
  );
}
