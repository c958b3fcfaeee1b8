// `subscribe`, `unsubscribe`, `subscriptions`: what a channel is told about, and what it would have been told.
import { readReference } from '../line/content-reference.ts';
import { parseQuiet } from '../line/parse.ts';
import type { Filter } from '../table.ts';
import { titleOf } from '../status/blocks.ts';
import { dryRunMessage, subscriptionsMessage, type DryRunEntry } from './blocks.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import { deploysIn } from '../shared/audit-log.ts';
import { wish } from '../../deliver/channels.ts';
import { digestTime, isQuiet } from '../../deliver/quiet.ts';
import { resolveContent, type Run, type Runner } from '../shared/find-content.ts';

const WEEK = 7 * 86_400_000;
const STANDARD: readonly Filter[] = ['deploys', 'failures'];

export const subscribe: Runner = async (run) => {
  const { command, services, asker } = run;
  const quiet = command.options['quiet'];
  if (typeof quiet === 'string' && parseQuiet(quiet) === null)
    return note('--quiet takes hours (UTC) such as 22-7.');
  const found = await resolveContent(run);
  if ('message' in found) return found.message;
  const { content } = found;
  const filters = command.filters.length === 0 ? STANDARD : [...new Set(command.filters)];
  const title = titleOf(content);
  const span = typeof quiet === 'string' ? quiet : null;
  if (command.options['dry-run'] === true) {
    const entries = await lastWeek(run, content.guid, filters, span);
    return entries === null
      ? note('A dry run needs the audit log of the server: the bot has no key that may read it.')
      : dryRunMessage(title, filters, entries);
  }
  await services.store.saveSubscription({
    team: asker.team,
    channel: asker.channel,
    content: content.guid,
    title,
    filters: filters.join(','),
    quiet: span,
    slack_user: asker.user,
    slack_name: asker.name,
  });
  const hours = span === null ? '' : `; from ${span.replace('-', ' to ')} o'clock UTC only failures`;
  return note(`This channel is told about *${inline(title)}*: ${filters.join(', ')}${hours}.`);
};

/** What would have been posted, from the audit log and what the bot knows of how deploys ended. */
async function lastWeek(
  { services, client, signal }: Run,
  guid: string,
  filters: readonly Filter[],
  quiet: string | null,
): Promise<DryRunEntry[] | null> {
  const reader = services.clients.service;
  if (reader === null) return null;
  const now = services.now();
  const entries: DryRunEntry[] = [];
  for await (const { entry, content, task } of deploysIn(reader, now - WEEK, signal)) {
    if (content !== guid) continue;
    const failed = task !== null && (await isFailed(client, task));
    const only = wish({ filters: filters.join(','), quiet }, Date.parse(entry.time));
    const held = only === null ? 'not asked for' : only === 1 && !failed ? 'only failures' : null;
    entries.push({ time: entry.time, text: `${failed ? 'Failed: ' : ''}${entry.event_description}`, held });
    if (entries.length >= 100) break;
  }
  const digest = digestTime(now);
  if (filters.includes('usage-weekly') && digest > now - WEEK) {
    const held = isQuiet(quiet, digest) ? 'when the quiet hours end' : null;
    entries.push({ time: new Date(digest).toISOString(), text: 'Usage of the last week', held });
  }
  return entries;
}

async function isFailed(client: Run['client'], task: string): Promise<boolean> {
  return client.getTask({ id: task, first: 0, wait: 0 }).then(
    ({ finished, code }) => finished && code !== 0,
    () => false,
  );
}

export const unsubscribe: Runner = async (run) => {
  const { services, asker, command } = run;
  // What was subscribed to need not be there any more.
  const reference = readReference(command.subject);
  const mine = await services.store.subscriptions({ team: asker.team, channel: asker.channel });
  const wanted = command.subject.toLowerCase();
  let found = mine.find(({ content, title }) =>
    reference.kind === 'guid' ? content === reference.guid : title.toLowerCase() === wanted,
  );
  if (!found) {
    const resolved = await resolveContent(run);
    if ('message' in resolved) return resolved.message;
    found = mine.find(({ content }) => content === resolved.content.guid);
  }
  if (!found) return note('This channel is not told about that.');
  await services.store.removeSubscription(asker.team, asker.channel, found.content);
  return note(`This channel is not told about *${inline(found.title)}* any more.`);
};

export const subscriptions: Runner = async ({ services, asker }) => {
  const found = await services.store.subscriptions({ team: asker.team, channel: asker.channel });
  return subscriptionsMessage(
    found.map(({ content, title, filters, quiet, slack_name }) => ({
      guid: content,
      title,
      filters: filters.split(','),
      quiet,
      by: slack_name,
    })),
  );
};
